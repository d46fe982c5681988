import { isRefused, type SnapshotUser, type UserOutline } from '../domain/directory/directory.ts';

/** Users in one line. */
const BLOCK = 25;
const LINE_BREAK = 0x0a;

type Outline = readonly [externalId: string, hash: string | null, active: boolean];

/**
 * A page of users in lines: the first has what unchanged users are known by, each other one some users. A run of many
 * users in which little has changed parses the first lines and few others.
 */
export function encodePage(users: readonly SnapshotUser[]): Buffer {
  const lines: unknown[] = [users.map(outline)];
  for (let at = 0; at < users.length; at += BLOCK) lines.push(users.slice(at, at + BLOCK));
  return Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'));
}

export function decodePage(body: Uint8Array): readonly UserOutline[] {
  const [first, ...blocks] = linesOf(Buffer.from(body.buffer, body.byteOffset, body.length));
  const parsed: (readonly SnapshotUser[] | undefined)[] = [];
  const whole = (at: number): SnapshotUser => {
    const number = Math.floor(at / BLOCK);
    const block = parsed[number] ?? (JSON.parse(String(blocks[number])) as readonly SnapshotUser[]);
    parsed[number] = block;
    return block[at % BLOCK] as SnapshotUser;
  };
  const outlines = JSON.parse(String(first)) as readonly Outline[];
  return outlines.map(([externalId, hash, active], at) => ({
    externalId,
    hash: hash ?? undefined,
    active,
    whole: () => whole(at),
  }));
}

const outline = (user: SnapshotUser): Outline =>
  isRefused(user) ? [user.externalId, null, false] : [user.externalId, user.hash, user.active];

/** An escaped text has no line breaks. */
function linesOf(body: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  let from = 0;
  for (let to = body.indexOf(LINE_BREAK); to >= 0; to = body.indexOf(LINE_BREAK, from)) {
    lines.push(body.subarray(from, to));
    from = to + 1;
  }
  lines.push(body.subarray(from));
  return lines;
}
