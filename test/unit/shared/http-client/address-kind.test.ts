import { describe, expect, it } from 'vitest';
import { addressKind } from '../../../../shared/http-client/address-kind.ts';

describe('addressKind', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2600:1f18::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2606:4700::5efe:808:808',
  ])('takes %s for public', (address) => {
    expect(addressKind(address)).toBe('public');
  });

  it.each([
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.255',
    'fc00::1',
    'fd12:3456::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a00:1',
    '2606:4700::5efe:a00:1',
    '2606:4700::200:5efe:10.0.0.1',
  ])('takes %s for private', (address) => {
    expect(addressKind(address)).toBe('private');
  });

  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    '2a00::5efe:7f00:1',
  ])('takes %s for loopback', (address) => {
    expect(addressKind(address)).toBe('loopback');
  });

  it.each([
    ['the metadata service', '169.254.169.254'],
    ['credentials of containers', '169.254.170.2'],
    ['the metadata service over IPv6', 'fd00:ec2::254'],
    ['the metadata service, mapped', '::ffff:169.254.169.254'],
    ['the metadata service, translated', '64:ff9b::a9fe:a9fe'],
    ['a link-local address', 'fe80::1'],
    ['a link-local address with a zone', 'fe80::1%eth0'],
    ['this network', '0.0.0.0'],
    ['any address', '::'],
    ['multicast', '224.0.0.1'],
    ['multicast over IPv6', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['reserved', '240.0.0.1'],
    ['benchmarking', '198.18.0.1'],
    ['documentation', '203.0.113.7'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation over IPv6', '2001:db8::1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:7f00:1::'],
    ['local translation', '64:ff9b:1::a00:1'],
    ['translation of RFC 6145', '::ffff:0:127.0.0.1'],
    ['an address that holds an IPv4 one', '::127.0.0.1'],
    ['site-local', 'fec0::1'],
    ['discarded', '100::1'],
    ['an address of no given block', '4000::1'],
    ['segment routing', '5f00::1'],
    ['nothing', ''],
    ['a name', 'localhost'],
  ])('forbids %s: %s', (_what, address) => {
    expect(addressKind(address)).toBe('forbidden');
  });
});
