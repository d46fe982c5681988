import ipaddr from 'ipaddr.js';

/**
 * Classification of a network address.
 * - `public`: the internet.
 * - `private`: RFC 1918, unique local and carrier-grade NAT addresses.
 * - `loopback`: this machine.
 * - `forbidden`: link-local (the metadata services of clouds), multicast, unspecified, reserved, tunnels.
 */
export type AddressKind = 'public' | 'private' | 'loopback' | 'forbidden';

type IPv6 = InstanceType<typeof ipaddr.IPv6>;

const KINDS: Readonly<Record<string, AddressKind>> = {
  unicast: 'public',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'private',
  loopback: 'loopback',
};

/** The only block from which global unicast addresses are allocated. @see RFC 4291, section 2.4 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Addresses of IPv4 hosts behind a translator. @see RFC 6052, section 2.1 */
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Unique local addresses under which AWS offers instance metadata, credentials, DNS and time. */
const AWS_LINK_SERVICES = ipaddr.IPv6.parseCIDR('fd00:ec2::/32');

/** Classifies an IPv4 or IPv6 address; anything that is not an address is forbidden. */
export function addressKind(address: string): AddressKind {
  const canonical = toCanonical(address);
  if (!ipaddr.isValid(canonical)) return 'forbidden';
  const parsed = ipaddr.parse(canonical);
  if (parsed instanceof ipaddr.IPv6) return ipv6Kind(parsed);
  return KINDS[parsed.range()] ?? 'forbidden';
}

/** An address that embeds an IPv4 address is classified as that address: it is the real destination. */
function ipv6Kind(address: IPv6): AddressKind {
  if (address.isIPv4MappedAddress()) return addressKind(address.toIPv4Address().toString());
  if (address.match(NAT64)) return addressKind(address.toByteArray().slice(12).join('.'));
  if (address.match(AWS_LINK_SERVICES)) return 'forbidden';
  const kind = KINDS[address.range()] ?? 'forbidden';
  if (kind !== 'public') return kind;
  if (!address.match(GLOBAL_UNICAST)) return 'forbidden';
  return isIsatap(address) ? addressKind(address.toByteArray().slice(12).join('.')) : kind;
}

/** Whether the interface id is made of the IPv4 address of a tunnel. @see RFC 5214, section 6.1 */
function isIsatap(address: IPv6): boolean {
  const [, , , , group, marker] = address.parts;
  return (group === 0 || group === 0x200) && marker === 0x5efe;
}

/** IPv6 without a dotted IPv4 suffix: the package parses `::127.0.0.1` as `::ffff:127.0.0.1`. */
function toCanonical(address: string): string {
  if (!address.includes(':')) return address;
  const literal = `http://[${address}]`;
  return URL.canParse(literal) ? new URL(literal).hostname.slice(1, -1) : '';
}
