/**
 * The server's clock. Elapsed times are counted by it, as the clock of the person's machine may be wrong.
 *
 * Its answers have seconds only, so each bounds the difference of both clocks; the bounds of several answers together are
 * close.
 */
let least = Number.NEGATIVE_INFINITY;
let most = Number.POSITIVE_INFINITY;

/** Takes the Date header of an answer to a request that began and ended at these milliseconds of this machine. */
export function noteServerTime(header: string | null, began: number, ended: number): void {
  const at = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(at)) return;
  const low = at - ended;
  const high = at + 999 - began;
  if (low > most || high < least) {
    least = low; // one of the clocks was set
    most = high;
    return;
  }
  least = Math.max(least, low);
  most = Math.min(most, high);
}

/** How far the server's clock is ahead of this machine's, in milliseconds; 0 as long as that is not known. */
export function clockOffset(): number {
  return Number.isFinite(least) && Number.isFinite(most) ? Math.round((least + most) / 2) : 0;
}

/** The server's time in milliseconds. */
export function serverNow(): number {
  return Date.now() + clockOffset();
}

export function forgetServerTime(): void {
  least = Number.NEGATIVE_INFINITY;
  most = Number.POSITIVE_INFINITY;
}
