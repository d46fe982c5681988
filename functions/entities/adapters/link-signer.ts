import type { S3Client } from '@aws-sdk/client-s3';
import type { SignLink } from '../job-links.ts';

/** How long a link works. */
const LINK_SECONDS = 900;

/** Signs links to objects of a bucket with the function's own rights. The client is loaded with the first link. */
export function createLinkSigner(bucket: string): SignLink {
  let client: Promise<S3Client> | undefined;
  return async (object) => {
    client ??= import('@aws-sdk/client-s3').then(({ S3Client: Client }) => new Client({}));
    return sign(await client, bucket, object);
  };
}

/** The signer that the client itself uses; its type is not part of the client's. */
interface Presigner {
  presign(
    request: object,
    options: object,
  ): Promise<{ readonly query?: Readonly<Record<string, unknown>> }>;
}
type PresignerClass = new (options: object) => Presigner;

/** @see AWS Signature Version 4, authentication by query parameters */
async function sign({ config }: S3Client, bucket: string, object: string): Promise<string> {
  const { signerConstructor: Signer } = config as unknown as { signerConstructor: PresignerClass };
  const region = await config.region();
  const { credentials, sha256 } = config;
  const signer = new Signer({ credentials, region, service: 's3', sha256, uriEscapePath: false });
  const custom = await config.endpoint?.();
  const host = custom
    ? `${custom.hostname}${custom.port ? `:${custom.port}` : ''}`
    : `${bucket}.s3.${region}.amazonaws.com`;
  const path = `${custom ? `/${bucket}` : ''}/${object.split('/').map(encodeURIComponent).join('/')}`;
  const protocol = custom?.protocol ?? 'https:';
  const request = {
    method: 'GET',
    protocol,
    hostname: host.split(':')[0] ?? host,
    path,
    query: {},
    headers: { host },
    body: undefined,
  };
  const signed = await signer.presign(request, {
    expiresIn: LINK_SECONDS,
    unsignableHeaders: new Set(['content-type']),
  });
  const query = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  return `${protocol}//${host}${path}?${query.join('&')}`;
}
