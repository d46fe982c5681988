/**
 * One call of a function to the cloud, as IAM sees it: what the least-privilege test holds against the
 * synthesised policies. A recorder writes one JSON object per line.
 *
 * IAM checks the parts of a transaction one by one, so a recorder writes one call per part: `TransactWriteItems`
 * becomes `dynamodb:PutItem` / `UpdateItem` / `DeleteItem` / `ConditionCheckItem`, `TransactGetItems` becomes
 * `dynamodb:GetItem`. `BatchGetItem` and `BatchWriteItem` stay as they are. S3 operations are named by their
 * permission (`HeadObject` is `s3:GetObject`, `ListObjectsV2` is `s3:ListBucket`).
 */
export interface RecordedCall {
  /** Value of SVC_MODULE of the function that called; a job of its own is `<module>-<job>`. */
  readonly module: string;
  /** IAM action, `<service>:<Action>`. */
  readonly action: string;
  /**
   * What was called: `table`, `table/index/<name>`, `table/stream`, `bucket`, `bucket/<key>`, `bus`,
   * or the ARN of anything else.
   */
  readonly resource: string;
  /**
   * Partition keys that the call touched, whole (of the index when an index is read); each once. Only for
   * DynamoDB items.
   */
  readonly leadingKeys?: readonly string[];
}

/** Writes a call as one line of a recording, without the line break. */
export function formatRecordedCall(call: RecordedCall): string {
  return JSON.stringify(call);
}

/**
 * Reads a recording: JSON lines, blank lines ignored.
 * @throws Error naming the line that is not a recorded call.
 */
export function parseRecordedCalls(recording: string): RecordedCall[] {
  const calls: RecordedCall[] = [];
  for (const [index, line] of recording.split('\n').entries()) {
    if (line.trim() === '') continue;
    calls.push(parseLine(line, index + 1));
  }
  return calls;
}

function parseLine(line: string, lineNumber: number): RecordedCall {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new Error(`Line ${lineNumber} of the recording is not JSON: ${line.slice(0, 200)}`, {
      cause,
    });
  }
  if (!isRecordedCall(value)) {
    throw new Error(`Line ${lineNumber} of the recording is no call: ${line.slice(0, 200)}`);
  }
  return value;
}

function isRecordedCall(value: unknown): value is RecordedCall {
  if (typeof value !== 'object' || value === null) return false;
  const { module, action, resource, leadingKeys } = value as Record<string, unknown>;
  const isKeyList =
    leadingKeys === undefined ||
    (Array.isArray(leadingKeys) && leadingKeys.every((key) => typeof key === 'string'));
  return [module, action, resource].every((part) => typeof part === 'string') && isKeyList;
}
