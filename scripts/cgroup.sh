#!/usr/bin/env bash
# Proves on a real kernel that control groups keep the limits of commands: starts a small virtual machine with Debian's kernel
# for clouds and control groups of version 2, in which the tests of internal/command run as a user to whom a group is delegated,
# as systemd does with Delegate=yes. The machine is emulated, so neither rights nor hardware are needed; it takes about half a
# minute. Debian and its relatives only.
set -euo pipefail
cd "$(dirname "$0")/.."

arch=$(dpkg --print-architecture)
case $arch in
  amd64) emulator=qemu-system-x86_64 package=qemu-system-x86 machine=(-M q35) console=ttyS0 ;;
  arm64) emulator=qemu-system-aarch64 package=qemu-system-arm machine=(-M virt) console=ttyAMA0 ;;
  *) echo "there is no machine for $arch" >&2; exit 1 ;;
esac

missing=()
command -v "$emulator" >/dev/null || missing+=("$package")
if [ ! -x /usr/bin/busybox ] || ldd /usr/bin/busybox >/dev/null 2>&1; then missing+=(busybox-static); fi
if [ ${#missing[@]} -gt 0 ]; then
  root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  echo "installing ${missing[*]}" >&2
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi

# The kernel is fetched once, as a package that is not installed.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/trowel-cgroup
mkdir -p "$cache"
kernel=$(find "$cache" -name 'vmlinuz-*' | sort | tail -n 1)
if [ -z "$kernel" ]; then
  name=$(apt-cache depends "linux-image-cloud-$arch" | sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
  fetched=$(mktemp -d)
  (cd "$fetched" && apt-get download -qq "$name" && dpkg-deb --fsys-tarfile ./*.deb | tar -x --wildcards './boot/vmlinuz*')
  mv "$fetched"/boot/vmlinuz-* "$cache/"
  rm -rf "$fetched"
  kernel=$(find "$cache" -name 'vmlinuz-*' | sort | tail -n 1)
fi

tests='Limit|Usage|StopEnds|Kept|Groups|TestStop$|TestLeftBehind|TestSlowOutput'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root"/{bin,proc,sys,dev,tmp,etc}
cp /usr/bin/busybox "$root/bin/busybox"
CGO_ENABLED=0 go test -c -o "$root/command.test" ./internal/command
printf 'root:x:0:0::/:/bin/sh\nagent:x:1000:1000::/:/bin/sh\n' >"$root/etc/passwd"
printf 'root:x:0:\nagent:x:1000:\n' >"$root/etc/group"
cat >"$root/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777,size=300m tmp /tmp
mount -t cgroup2 cgroup /sys/fs/cgroup
echo '+memory +cpu +pids +io' >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/service
for file in '' /cgroup.procs /cgroup.subtree_control /cgroup.threads; do chown 1000:1000 /sys/fs/cgroup/service$file; done
uname -r
cat >/run.sh <<'RUN'
echo $$ >/sys/fs/cgroup/service/cgroup.procs
exec su -s /bin/sh agent -c "TROWEL_TEST_GROUPS=1 exec /command.test -test.v -test.timeout 120s -test.run 'TESTS'"
RUN
sh /run.sh && echo "all tests have passed"
sync
poweroff -f
INIT
sed -i "s/TESTS/$tests/" "$root/init"
chmod +x "$root/init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$work/initrd"

timeout 300 "$emulator" "${machine[@]}" -accel tcg -cpu max -smp 2 -m 1536 -nographic -no-reboot -net none \
  -kernel "$kernel" -initrd "$work/initrd" -append "console=$console quiet panic=-1 cgroup_no_v1=all" </dev/null | tee "$work/output" | tr -d '\r' |
  grep -E '^(=== (NAME)|--- |    (---|[a-z_]+\.go)|ok|PASS|FAIL|panic|all tests)' || true
grep -q '^all tests have passed' "$work/output" || { cat "$work/output" >&2; exit 1; }
