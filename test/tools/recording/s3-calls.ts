import type { AwsRequest, IamCall, ResourceNames } from './aws-request.ts';

/** Sub-resources in the query and the permission that reading, writing and deleting them needs. */
const subResources: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tagging: { GET: 'GetObjectTagging', PUT: 'PutObjectTagging', DELETE: 'DeleteObjectTagging' },
  acl: { GET: 'GetObjectAcl', PUT: 'PutObjectAcl' },
  uploads: { GET: 'ListBucketMultipartUploads', POST: 'PutObject' },
  uploadId: {
    GET: 'ListMultipartUploadParts',
    PUT: 'PutObject',
    POST: 'PutObject',
    DELETE: 'AbortMultipartUpload',
  },
  versions: { GET: 'ListBucketVersions' },
};

/** What an S3 request does, each permission it needs as a call of its own. */
export function s3Calls(request: AwsRequest, names: ResourceNames): IamCall[] {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const [bucket = '', ...rest] = pathname.slice(1).split('/');
  const key = decodeURIComponent(rest.join('/'));
  if (request.method === 'POST' && searchParams.has('delete')) {
    return deletedObjects(request.body).map(({ key: deleted, version }) => ({
      action: `s3:DeleteObject${version ? 'Version' : ''}`,
      resource: objectResource(bucket, deleted, names),
    }));
  }
  const action = `s3:${permission(request.method, key, searchParams)}`;
  return [
    { action, resource: objectResource(bucket, key, names) },
    ...sideCalls(request, bucket, key, names),
  ];
}

function permission(method: string, key: string, query: URLSearchParams): string {
  for (const [name, byMethod] of Object.entries(subResources)) {
    const action = byMethod[method];
    if (query.has(name) && action) return action;
  }
  if (key === '') return 'ListBucket';
  const version = query.has('versionId') ? 'Version' : '';
  if (method === 'GET' || method === 'HEAD') return `GetObject${version}`;
  return method === 'DELETE' ? `DeleteObject${version}` : 'PutObject';
}

/** A copy reads its source; tags given while writing need the permission to tag. */
function sideCalls(
  request: AwsRequest,
  bucket: string,
  key: string,
  names: ResourceNames,
): IamCall[] {
  const calls: IamCall[] = [];
  const source = request.headers['x-amz-copy-source'];
  if (source) {
    const [path = '', version] = decodeURIComponent(source).replace(/^\//, '').split('?versionId=');
    const [sourceBucket = '', ...sourceKey] = path.split('/');
    calls.push({
      action: version ? 's3:GetObjectVersion' : 's3:GetObject',
      resource: objectResource(sourceBucket, sourceKey.join('/'), names),
    });
  }
  if (request.method === 'PUT' && request.headers['x-amz-tagging']) {
    calls.push({ action: 's3:PutObjectTagging', resource: objectResource(bucket, key, names) });
  }
  return calls;
}

function objectResource(bucket: string, key: string, names: ResourceNames): string {
  const own = bucket === names.bucketName ? 'bucket' : `arn:aws:s3:::${bucket}`;
  return key === '' ? own : `${own}/${key}`;
}

function deletedObjects(body: string): { key: string; version: boolean }[] {
  return [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, object = '']) => ({
    key: unescapeXml(/<Key>([^<]*)<\/Key>/.exec(object)?.[1] ?? ''),
    version: object.includes('<VersionId>'),
  }));
}

const unescapeXml = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
