interface Policy {
  createScriptURL(address: string): string;
}

interface Factory {
  createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): Policy;
}

let policy: Policy | undefined;

/** The address of a worker of ours, in the form in which the page's policy admits it: nothing but files below assets. */
export function workerAddress(address: string): string {
  const factory = (window as unknown as { trustedTypes?: Factory }).trustedTypes;
  if (!factory) return address;
  policy ??= factory.createPolicy("trowel", {
    createScriptURL(wanted) {
      const url = new URL(wanted, document.baseURI);
      if (url.origin !== location.origin || !/\/assets\/[\w-]+\.js$/.test(url.pathname))
        throw new TypeError(`no worker of Trowel: ${wanted}`);
      return wanted;
    },
  });
  return policy.createScriptURL(address);
}
