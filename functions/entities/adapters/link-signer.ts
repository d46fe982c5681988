import { once } from '../../../shared/primitives/once.ts';
import type { SignLink } from '../jobs/job-links.ts';

/** How long a link works. */
const LINK_SECONDS = 900;

/** Signs links to objects of a bucket with the function's own rights. The signer is loaded with the first link. */
export function createLinkSigner(bucket: string): SignLink {
  const load = once(async () => {
    const [{ GetObjectCommand, S3Client }, { getSignedUrl }] = await Promise.all([
      import('@aws-sdk/client-s3'),
      import('@aws-sdk/s3-request-presigner'),
    ]);
    return { GetObjectCommand, getSignedUrl, client: new S3Client({}) };
  });
  return async (object) => {
    const { GetObjectCommand, getSignedUrl, client } = await load();
    const command = new GetObjectCommand({ Bucket: bucket, Key: object });
    return getSignedUrl(client, command, { expiresIn: LINK_SECONDS });
  };
}
