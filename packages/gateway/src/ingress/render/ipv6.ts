const GROUPS = 8;

/** The eight groups of an IPv6 address as numbers; null when it is none. */
export function ipv6Groups(address: string): number[] | null {
  const [head = '', tail, ...others] = hexadecimal(address).split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  if (left === null || right === null || others.length > 0) return null;
  const missing = GROUPS - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  return [...left, ...Array.from({ length: missing }, () => 0), ...right];
}

/** The spelling that nginx knows: in its eyes `::` stands for two groups at least, in everybody else's also for one. */
export function nginxIpv6(address: string): string {
  const groups = ipv6Groups(address);
  const written = address.split(':').filter((group) => group !== '').length;
  if (groups === null || address.includes('.') || written < GROUPS - 1) return address;
  return groups.map((group) => group.toString(16)).join(':');
}

/** The IPv4 address that is meant by `::ffff:192.0.2.1`; null when none is. */
export function mappedIpv4(address: string): string | null {
  const groups = ipv6Groups(address);
  if (groups === null || groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return null;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** The last 32 bits may be written as IPv4. */
function hexadecimal(address: string): string {
  const [, start, ...bytes] = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address) ?? [];
  if (start === undefined) return address;
  const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
  return `${start}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function groupsOf(text: string): number[] | null {
  if (text === '') return [];
  const groups = text.split(':');
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}
