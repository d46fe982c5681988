/** Error names of S3 for an absent object; a HEAD response has no body with more detail. */
const REFUSALS = new Set(['AccessDenied', 'Forbidden', 'UnknownError', 'Unknown', '403']);

/**
 * Whether an error of S3 says that an object does not exist. Without the permission to list the bucket, S3 answers 403
 * for an object that does not exist.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
 */
export function isAbsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (status === 404) return error.name === 'NoSuchKey' || error.name === 'NotFound';
  return status === 403 && REFUSALS.has(error.name);
}

/** The result of a call; `undefined` when its object is absent. */
export async function unlessAbsent<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}
