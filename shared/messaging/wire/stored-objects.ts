/** Objects of buckets, by name and key. */
export interface StoredObjects {
  put(bucket: string, key: string, body: Buffer): Promise<void>;
  get(bucket: string, key: string): Promise<Buffer>;
  copy(
    from: { readonly bucket: string; readonly key: string },
    bucket: string,
    key: string,
  ): Promise<void>;
  delete(bucket: string, key: string): Promise<void>;
}
