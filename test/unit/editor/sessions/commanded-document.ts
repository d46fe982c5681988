import { decodeJwt } from 'jose';
import { onTestFinished } from 'vitest';
import type { EditorOptions } from '../editor-api.ts';
import { anOpenDocument } from '../saving/saves.ts';

/** A command, or what it is answered with. */
export type Answer = Readonly<Record<string, unknown>>;

/** A document that is edited, and a document server that answers commands. */
export async function aCommandedDocument(
  answers: Readonly<Record<string, Answer | ((command: Answer) => Answer)>> = {},
  options: EditorOptions = {},
) {
  const world = await anOpenDocument(options);
  onTestFinished(() => world.server.close());
  const commands: Answer[] = [];
  const { answer: download } = world.server;
  world.server.answer = (request, response) => {
    if (!request.url?.startsWith('/command')) return download(request, response);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { token } = JSON.parse(Buffer.concat(chunks).toString());
      const { iat: _, exp: __, ...command } = decodeJwt(token);
      commands.push(command);
      response.setHeader('content-type', 'application/json');
      const answer = answers[String(command.c)] ?? { error: 0 };
      response.end(JSON.stringify(typeof answer === 'function' ? answer(command) : answer));
    });
  };
  const edit = () => world.send({ key: world.key, status: 1, users: ['lan'] });
  const sessions = (query = 'documentId=doc-1', more: object = {}) =>
    world.get(`/api/v1/docs/sessions?${query}`, more);
  const command = (name: string, id = 'doc-1', more: object = {}) =>
    world.call({ method: 'POST', path: `/api/v1/docs/documents/${id}:${name}`, ...more });
  return { ...world, commands, edit, sessions, command };
}
