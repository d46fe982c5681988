import { parseArgs } from 'node:util';
import { startDocumentServer } from './server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const secret = process.env.DOCUMENT_SERVER_SECRET;
if (!secret) throw new Error('Set DOCUMENT_SERVER_SECRET, the secret shared with the platform.');
const server = await startDocumentServer({ secret, port: Number(values.port) });
console.log(JSON.stringify({ url: server.url }));
// Ends with whoever has started it.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
