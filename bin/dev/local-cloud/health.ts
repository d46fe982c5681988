/** Health report of a local cloud. */
export interface CloudHealth {
  /** Version of the software, or `unknown`. */
  readonly version: string;
}

const healthPaths = ['/_ministack/health', '/_localstack/health'];

/** Reads the health of the local cloud at `endpoint`; undefined when there is none. */
export async function cloudHealth(
  endpoint: string,
  timeoutMs = 1500,
): Promise<CloudHealth | undefined> {
  for (const path of healthPaths) {
    const health = await askHealth(new URL(path, endpoint), timeoutMs);
    if (health) return health;
  }
  return undefined;
}

async function askHealth(url: URL, timeoutMs: number): Promise<CloudHealth | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    const body: unknown = await response.json();
    if (!response.ok || typeof body !== 'object' || body === null || !('services' in body)) {
      return undefined;
    }
    const { version } = body as { version?: unknown };
    return { version: typeof version === 'string' ? version : 'unknown' };
  } catch {
    return undefined;
  }
}
