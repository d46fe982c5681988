/** What a local cloud says about itself. */
export interface CloudHealth {
  /** Version of the software, or `unknown`. */
  readonly version: string;
}

const healthPaths = ['/_ministack/health', '/_localstack/health'];

/** Asks the local cloud at `endpoint` how it is; undefined when nothing there answers as one. */
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
