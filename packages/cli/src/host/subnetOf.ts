/** The network that an IPv4 address with a CIDR is in: `192.0.2.7/24` is in `192.0.2.0/24`. */
export function subnetOf(cidr: string): string {
  const [address = '', prefixText = '32'] = cidr.split('/');
  const prefix = Number(prefixText);
  const bits = address.split('.').reduce((all, part) => all * 256 + Number(part), 0);
  const size = 2 ** (32 - prefix);
  const network = Math.floor(bits / size) * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(network / 2 ** shift) % 256).join('.')}/${prefix}`;
}
