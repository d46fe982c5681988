import { RunFiles } from '../../../functions/identity/store/run-files.ts';

/** Files of runs in a map. */
export function memoryRunFiles(stored: Map<string, Uint8Array>): RunFiles {
  const facts = async (path: string) => {
    const body = stored.get(path);
    return body && { contentType: '', sizeBytes: body.length, etag: '' };
  };
  return new RunFiles({
    files: {
      facts,
      read: async (path) => {
        const body = stored.get(path);
        return body && { body, contentType: '', sizeBytes: body.length, etag: '' };
      },
      write: async (path, body) => {
        stored.set(path, body);
        return { etag: '' };
      },
      delete: async (path) => void stored.delete(path),
      downloadLink: async (path) => `https://bucket.example/${path}`,
    },
  });
}
