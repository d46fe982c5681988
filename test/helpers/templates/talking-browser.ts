import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

// Stands between a browser and whoever has started it, and gets a signal when the browser has said something `words` times.
const [signal = '', words = '', executable = '', ...args] = process.argv.slice(2);
const browser = spawn(executable, args, {
  stdio: ['ignore', 'inherit', 'inherit', 'pipe', 'pipe'],
});
const [, , , commands, answers] = browser.stdio;
const caller = { commands: new Socket({ fd: 3 }), answers: new Socket({ fd: 4 }) };
let left = Number(words);

const fail = (): void => {
  process.kill(process.pid, signal);
};
/** Passes messages on, each of which ends with a zero byte, as long as any are left. */
const pass = (bytes: Buffer): void => {
  let end = 0;
  while (left > 0 && end < bytes.length) {
    const next = bytes.indexOf(0, end);
    if (next < 0) end = bytes.length;
    else {
      end = next + 1;
      left -= 1;
    }
  }
  caller.answers.write(bytes.subarray(0, end), () => left > 0 || fail());
};

if (left === 0) fail();
browser.on('exit', () => process.exit());
caller.commands.on('end', () => process.exit());
caller.commands.pipe(commands as Socket);
(answers as Socket).on('data', pass);
