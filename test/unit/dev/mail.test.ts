import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { formatMail, mailAddress, mailsOf } from '../../../bin/dev/mail/sent-mail.ts';

/** As the local cloud answers. */
const mail = (subject: string, timestamp: number, more: object = {}) => ({
  ...{ MessageId: subject, Source: 'people@svc-cloud.example', To: ['mai@example.com'] },
  ...{ CC: [], BCC: [], Subject: subject, BodyText: 'Dear Mai,\n\nwelcome.\n', BodyHtml: null },
  ...{ Timestamp: timestamp, Type: 'v2.SendEmail', ...more },
});

it('npm run mail shows the mails of all accounts, the newest last', () => {
  const messages = {
    '000000000000': [mail('second', 2), mail('third', 3)],
    '1': [mail('first', 1)],
  };

  const mails = mailsOf({ messages });

  expect(mails.map(({ subject }) => subject)).toEqual(['first', 'second', 'third']);
  expect(mailAddress('http://127.0.0.1:4566').href).toBe(
    'http://127.0.0.1:4566/_ministack/ses/messages',
  );
  expect(mailsOf({ messages: {} })).toEqual([]);
});

it('npm run mail prints no control characters of a text', () => {
  const [found] = mailsOf({
    messages: { a: [mail('Hi\u001b[2J', 1, { BodyText: 'a\u001b[31mb\n' })] },
  });

  const printed = stripVTControlCharacters(found ? formatMail(found) : '');

  expect(printed.split('\n').slice(1)).toEqual(['from people@svc-cloud.example', '  a[31mb']);
  expect(printed).toContain('mai@example.com  Hi[2J');
});
