import { requireOutputs } from '../outputs.ts';
import { CommandError } from '../terminal/command-error.ts';
import { runCommand, say } from '../terminal/output.ts';
import { formatMail, mailAddress, mailsOf } from './sent-mail.ts';

await runCommand(async () => {
  const { endpoint } = requireOutputs();
  const answer = await fetch(mailAddress(endpoint));
  if (!answer.ok) {
    throw new CommandError(
      `The cloud at ${endpoint} does not show the mails that it was given (${answer.status}).`,
      'Only the local cloud of "npm start" does; without AWS_ENDPOINT_URL it starts one.',
    );
  }
  const mails = mailsOf(await answer.json());
  for (const mail of mails) say(`${formatMail(mail)}\n`);
  if (mails.length === 0) say('No mail was sent since the local cloud has started.');
});
