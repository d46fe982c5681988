/** What is wrong with a file, its bytes, and the code of its refusal; `taken` when there is none. */
export type HostileFile = readonly [what: string, bytes: Buffer, code: string];
