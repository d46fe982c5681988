import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** A request before it becomes an event of the HTTP API. */
export interface EventRequest {
  readonly method: string;
  /** Path, with the query if there is one. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As the gateway hands them on: one `name=value` each. */
  readonly cookies?: readonly string[];
  /** Text goes as it is, bytes as base64. */
  readonly body?: string | Buffer | undefined;
}

/** The event that the HTTP API makes of a request (payload format 2.0). */
export function apiEvent({
  method,
  path,
  headers = {},
  cookies,
  body,
}: EventRequest): APIGatewayProxyEventV2 {
  const [rawPath = '/', rawQueryString = ''] = path.split('?', 2);
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const proxy = /^\/api\/v1\/[^/]+\/(.+)$/.exec(rawPath)?.[1];
  return {
    version: '2.0',
    routeKey: proxy ? 'ANY /api/v1/setting/{proxy+}' : '$default',
    rawPath,
    rawQueryString,
    headers: {
      host: 'api.example.com',
      'x-forwarded-proto': 'https',
      ...Object.fromEntries(given),
    },
    ...(cookies ? { cookies: [...cookies] } : {}),
    ...(proxy ? { pathParameters: { proxy } } : {}),
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      domainName: 'api.example.com',
      domainPrefix: 'api',
      http: {
        method,
        path: rawPath,
        protocol: 'HTTP/1.1',
        sourceIp: '192.0.2.1',
        userAgent: 'test',
      },
      requestId: 'request',
      routeKey: '$default',
      stage: '$default',
      time: '01/Mar/2026:09:30:00 +0000',
      timeEpoch: 1_772_357_400_000,
    },
    isBase64Encoded: Buffer.isBuffer(body),
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body.toString('base64') : body }),
  };
}

/** What the Lambda runtime hands a function beside the event. */
export const lambdaContext = {
  functionName: 'test',
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 30_000,
} as Context;
