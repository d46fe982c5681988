/** Maps a list with at most `limit` calls at the same time; the results are in the order of the list. */
export async function mapLimited<T, R>(
  list: readonly T[],
  limit: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(list.length);
  const entries = list.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await map(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, list.length) }, worker));
  return results;
}
