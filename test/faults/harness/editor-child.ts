import { createServer } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createEditorModule, sections } from '../../../functions/editor/module.ts';
import {
  claimsEditorAuthorization,
  claimsPermissionEvaluator,
} from '../../../shared/host/claims-policies.ts';
import { defineHost } from '../../../shared/host/host.ts';
import { createContext } from '../../../shared/lambda/create-context.ts';
import { readEnvironment } from '../../../shared/lambda/environment.ts';
import { connectModule } from '../../../shared/lambda/handlers/create-handler.ts';
import { lambdaContext } from '../../helpers/api/api-event.ts';
import type { ChildAnswer, ChildCall } from './editor-processes.ts';

/*
 * A process that is the function of the editor: it takes events over HTTP. What became of its work is read from table,
 * bucket and queue.
 */

process.once('disconnect', () => process.exit(1));

let calls = 0;
let killAt = Number.POSITIVE_INFINITY;

type Send = (...given: unknown[]) => Promise<unknown>;

/** Counts the calls to a service, and dies before one of them. */
function counted(client: { readonly prototype: object }): void {
  const prototype = client.prototype as { send: Send };
  const { send } = prototype;
  prototype.send = function dying(this: object, ...given) {
    if (calls === killAt) process.kill(process.pid, 'SIGKILL');
    calls += 1;
    return send.apply(this, given);
  };
}
counted(DynamoDBDocumentClient);
counted(S3Client);

const { EDITOR_MEMORY } = process.env;
const host = defineHost({
  permissionEvaluator: claimsPermissionEvaluator,
  docsEditorAuthorizationServices: [claimsEditorAuthorization],
});
const context = {
  ...createContext(readEnvironment<(typeof sections)[number]>(process.env, ...sections), host),
  ...(EDITOR_MEMORY && { memory: JSON.parse(EDITOR_MEMORY) as object }),
};
const handler = connectModule(createEditorModule, context);

const server = createServer(async (request, response) => {
  const sent: Buffer[] = [];
  for await (const chunk of request) sent.push(chunk as Buffer);
  const { event, dieBefore } = JSON.parse(Buffer.concat(sent).toString()) as ChildCall;
  calls = 0;
  killAt = dieBefore ?? Number.POSITIVE_INFINITY;
  const answer = (await handler(event, lambdaContext)) as ChildAnswer['answer'];
  response.end(JSON.stringify({ answer, calls } satisfies ChildAnswer));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.(typeof address === 'object' ? address?.port : undefined);
});
