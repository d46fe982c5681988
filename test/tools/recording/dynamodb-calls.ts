import type { AwsRequest, IamCall, ResourceNames } from './aws-request.ts';

type Item = Readonly<Record<string, { readonly S?: string } | undefined>>;

interface Operation {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly Key?: Item;
  readonly Item?: Item;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
  readonly RequestItems?: Readonly<Record<string, BatchRead | readonly BatchWrite[]>>;
  readonly TransactItems?: readonly Readonly<Record<string, Operation>>[];
  readonly StreamArn?: string;
}

interface BatchRead {
  readonly Keys?: readonly Item[];
}

interface BatchWrite {
  readonly PutRequest?: { readonly Item: Item };
  readonly DeleteRequest?: { readonly Key: Item };
}

/** Names of the parts of a transaction and the permissions they need. */
const transactionActions: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** What a DynamoDB request does; the parts of a transaction one by one, as IAM checks them. */
export function dynamodbCalls(request: AwsRequest, names: ResourceNames): IamCall[] {
  const operation = request.headers['x-amz-target']?.split('.').at(-1) ?? 'Unknown';
  const body = JSON.parse(request.body || '{}') as Operation;
  if (body.TransactItems) {
    return body.TransactItems.flatMap((parts) =>
      Object.entries(parts).map(([part, details]) =>
        itemCall(transactionActions[part] ?? part, details, names),
      ),
    );
  }
  if (body.RequestItems) return batchCalls(operation, body.RequestItems, names);
  if (body.StreamArn) {
    const isOurs = body.StreamArn.includes(`table/${names.tableName}/stream/`);
    return [
      { action: `dynamodb:${operation}`, resource: isOurs ? 'table/stream' : body.StreamArn },
    ];
  }
  return [itemCall(operation, body, names)];
}

function batchCalls(
  operation: string,
  requestItems: NonNullable<Operation['RequestItems']>,
  names: ResourceNames,
): IamCall[] {
  return Object.entries(requestItems).map(([table, requests]) => ({
    action: `dynamodb:${operation}`,
    resource: tableResource(table, undefined, names),
    leadingKeys: distinct(batchItems(requests).map((item) => item.pk?.S)),
  }));
}

function batchItems(requests: BatchRead | readonly BatchWrite[]): Item[] {
  if ('Keys' in requests) return [...(requests.Keys ?? [])];
  return (requests as readonly BatchWrite[]).flatMap(({ PutRequest, DeleteRequest }) =>
    [PutRequest?.Item, DeleteRequest?.Key].filter((item) => item !== undefined),
  );
}

function itemCall(operation: string, body: Operation, names: ResourceNames): IamCall {
  const resource = tableResource(body.TableName, body.IndexName, names);
  const leadingKeys = distinct([(body.Key ?? body.Item)?.pk?.S, queriedPartition(body)]);
  const action = `dynamodb:${operation}`;
  return leadingKeys.length > 0 ? { action, resource, leadingKeys } : { action, resource };
}

/** Partition that a query reads: the value that its condition compares the hash key with. */
function queriedPartition(body: Operation): string | undefined {
  const hashKey = body.IndexName ? `${body.IndexName}pk` : 'pk';
  for (const [, left, right] of (body.KeyConditionExpression ?? '').matchAll(
    /([#\w.]+)\s*=\s*(:\w+)/g,
  )) {
    const attribute = body.ExpressionAttributeNames?.[left ?? ''] ?? left;
    if (attribute === hashKey) return body.ExpressionAttributeValues?.[right ?? '']?.S;
  }
  return undefined;
}

function tableResource(
  table: string | undefined,
  index: string | undefined,
  names: ResourceNames,
): string {
  const name = table?.split('/').at(-1);
  const own = name === names.tableName ? 'table' : `arn:aws:dynamodb:*:*:table/${name}`;
  return index ? `${own}/index/${index}` : own;
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}
