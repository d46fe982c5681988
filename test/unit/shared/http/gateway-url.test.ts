import { expect, it } from 'vitest';
import { clientAddress, gatewayUrl } from '../../../../shared/http/request.ts';
import { apiEvent } from '../../../helpers/api/api-event.ts';

it.each([
  ['$default', false, 'https://abc.execute-api.eu-central-1.amazonaws.com'],
  ['$default', true, 'http://abc.execute-api.eu-central-1.amazonaws.com'],
  ['blue', false, 'https://abc.execute-api.eu-central-1.amazonaws.com/blue'],
])('the address of the gateway at its stage %s (without TLS: %s) is %s', (stage, isPlain, url) => {
  const event = apiEvent({ method: 'GET', path: '/x', headers: { host: 'evil.example' } });
  const domainName = 'abc.execute-api.eu-central-1.amazonaws.com';
  const requestContext = { ...event.requestContext, domainName, stage };

  expect(gatewayUrl({ ...event, requestContext }, isPlain)).toBe(url);
});

it.each([
  [false, '198.51.100.7', '192.0.2.1'],
  [true, '203.0.113.9, 198.51.100.7, 192.0.2.1', '198.51.100.7'],
  [true, '', '192.0.2.1'],
])(
  'the address of the caller (behind CloudFront: %s) of "%s" is %s',
  (hasEdge, passed, address) => {
    const headers = { 'x-forwarded-for': passed };

    expect(clientAddress(apiEvent({ method: 'GET', path: '/x', headers }), hasEdge)).toBe(address);
  },
);
