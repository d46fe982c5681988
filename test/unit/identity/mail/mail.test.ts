import { describe, expect, it, vi } from 'vitest';
import { DEFAULT_STRATEGY } from '../../../../functions/identity/domain/sources/source.ts';
import { MailNotifier } from '../../../../functions/identity/mail/mail-notifier.ts';
import { MailService } from '../../../../functions/identity/mail/mail-service.ts';
import { filled, templateOf } from '../../../../functions/identity/mail/mail-template.ts';
import { ALERT_TOPICS } from '../../../../functions/identity/mail/mail-topics.ts';
import type { Mail } from '../../../../functions/identity/mail/mailer.ts';
import { SesMailer } from '../../../../functions/identity/mail/ses-mailer.ts';
import { SourceError } from '../../../../functions/identity/providers/source-error.ts';
import type { UserAccount } from '../../../../shared/ports/identity.ts';
import { capturedLog } from '../../../helpers/captured/captured-log.ts';
import { CONNECTION } from '../../../helpers/identity/identity-api.ts';
import { aSource, syncWorld } from '../../../helpers/identity/sync-world.ts';

const AT = '2026-03-01T09:30:00.000Z';
const account: UserAccount = {
  ...{ id: 'u1', userName: 'mai', fullName: 'Mai <Tran>', email: 'mai@example.com', orgIds: [] },
  ...{ status: 'ENABLED', origin: 'SOURCE', links: [], version: 1, createdAt: AT, updatedAt: AT },
};
const TEMPLATE = JSON.stringify({
  ...{
    subject: 'Hi {{fullName}}',
    text: '{{userName}} {{password}}.',
    html: '<b>{{fullName}}</b>',
  },
});

function aPost(settings: Readonly<Record<string, string>> = {}, found: UserAccount = account) {
  const sent: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void sent.push(mail) };
  const log = capturedLog();
  const basicConfig = { ...CONNECTION, notifyTemplateCode: 'welcome' };
  const service = new MailService({
    repository: { find: async () => aSource() },
    configs: {
      connection: async () => ({
        ...{
          ...basicConfig,
          adminTokenTtlMinutes: 30,
          incrementalEnabled: false,
          authMode: 'auto',
        },
      }),
    },
    users: { findById: async () => found },
    notifier: new MailNotifier({
      ...{ mailer, log },
      settings: () => ({ getValue: async (name) => settings[name] }),
    }),
    ...{ mailer, alertTo: ['ops@example.com', 'night@example.com'] },
  });
  const welcome = () =>
    service.on('identity.user.provisioned', { userId: 'u1', sourceId: 'source-1', key: 'u1:b' });
  return { sent, service, welcome, log };
}

describe('a mail to a new user', () => {
  it('has the text of the setting, with values that cannot be markup and no secret', async () => {
    const { sent, welcome } = aPost({ 'notify.template.welcome': TEMPLATE });

    await welcome();

    expect(sent).toEqual([
      {
        ...{ to: 'mai@example.com', subject: 'Hi Mai <Tran>', text: 'mai .' },
        html: '<b>Mai &lt;Tran&gt;</b>',
      },
    ]);
  });

  it('has the built-in text where the setting is missing or broken, which is noted', async () => {
    const { sent, welcome, log } = aPost({ 'notify.template.welcome': '{"subject":1}' });

    await welcome();

    expect(sent[0]).toMatchObject({ subject: 'Your account mai' });
    expect(JSON.stringify([sent, log])).not.toContain(CONNECTION.adminPassword);
  });

  it('is not sent to somebody who cannot log in or has no address', async () => {
    const { sent, welcome } = aPost({}, { ...account, status: 'DISABLED' });
    await welcome();
    expect(sent).toEqual([]);
  });

  it('never has another header in its subject', () => {
    const template = { subject: 'For {{fullName}}', text: 'x' };
    const { subject } = filled(template, { fullName: 'a\r\nBcc: all@example.com' });
    expect(subject).toBe('For a Bcc: all@example.com');
    expect([templateOf('no JSON'), templateOf('{}')]).toEqual([undefined, undefined]);
  });
});

describe('a mail to operators', () => {
  it.each([
    ['identity.sync.failed', 'could not be synchronised', 'LOGIN_FAILED'],
    ['identity.sync.suspended', 'waits for an approval', 'TOO_MANY_REMOVALS'],
    ['identity.source.disabled', 'was disabled', 'FAILING'],
  ])('tells of %s', async (topic, subject, reasonCode) => {
    const { sent, service } = aPost();

    await service.on(topic, { sourceId: 'source-1', batch: 'b1', reasonCode });

    expect(sent.map(({ to }) => to)).toEqual(['ops@example.com', 'night@example.com']);
    expect(sent[0]?.subject).toBe(`Identity source Crew ${subject}`);
    expect(sent[0]?.text).toContain(reasonCode);
  });
});

describe('what a source publishes', () => {
  /** Hands what was published about a source to the mail service, as the listeners do. */
  async function aWatchedSource() {
    const world = await syncWorld();
    world.fill(30);
    await world.byHand();
    const publish = vi.spyOn(world.context.events, 'publish');
    const subjects = async () => {
      const { sent, service } = aPost();
      for (const [topic, , payload] of publish.mock.calls) {
        if (ALERT_TOPICS.some((each) => each === topic)) await service.on(topic, payload);
      }
      publish.mockClear();
      return sent.filter(({ to }) => to === 'ops@example.com').map(({ subject }) => subject);
    };
    return { world, subjects };
  }

  it('tells operators of runs that failed or were held back, and of nothing else', async () => {
    const { world, subjects } = await aWatchedSource();
    await world.byHand();
    const quiet = await subjects();
    for (const id of [...world.directory.users.keys()].slice(0, 15))
      world.directory.users.delete(id);
    const { user: held } = await world.byHand();
    const suspended = await subjects();
    world.directory.beforeAnswer = () => {
      throw new SourceError('LOGIN_FAILED', 'The source refuses the admin account');
    };
    await world.byHand();

    expect(held.status).toBe('SUSPENDED');
    expect(quiet).toEqual([]);
    expect(suspended).toEqual(['Identity source Crew waits for an approval']);
    expect(await subjects()).toEqual(['Identity source Crew could not be synchronised']);
  });

  it('tells operators of a source that was switched off', async () => {
    const { world, subjects } = await aWatchedSource();
    world.directory.beforeAnswer = () => {
      throw new SourceError('LOGIN_FAILED', 'The source refuses the admin account');
    };
    await world.byHand();
    await subjects();
    world.context.clock.advance(29 * 86_400_000);

    await world.pass.run();

    expect((await world.sources.find('source-1'))?.enabled).toBe(false);
    expect(await subjects()).toEqual(['Identity source Crew was disabled']);
  });
});

describe('the notice of a run', () => {
  it('is published with a key that a repeated step has too, and not for a first import', async () => {
    const user = { ...DEFAULT_STRATEGY.user, enabled: true, emailNotify: true };
    const world = await syncWorld(aSource({ strategyConfig: { ...DEFAULT_STRATEGY, user } }));
    world.fill(2);
    const publish = vi.spyOn(world.context.events, 'publish');
    const notices = () =>
      publish.mock.calls.filter(([topic]) => topic === 'identity.user.provisioned');
    await world.byHand();
    expect(notices()).toEqual([]);
    const emails = [{ value: 'n@example.com' }];
    world.directory.users.set('u-9', { id: 'u-9', userName: 'nine', emails });

    const { user: row } = await world.byHand();

    const { id } = [...world.accounts.all.values()].find((each) => each.userName === 'nine') ?? {};
    const facts = { userId: id, sourceId: 'source-1', batch: row.batch, key: `${id}:${row.batch}` };
    expect(notices()).toEqual([['identity.user.provisioned', id, facts]]);
  });
});

describe('SES', () => {
  it('gets sender, address and both forms of the text', async () => {
    const inputs: unknown[] = [];
    const client = { send: async ({ input }: { input: unknown }) => void inputs.push(input) };
    const mailer = new SesMailer('idp@example.com', client as never);

    await mailer.send({ to: 'mai@example.com', subject: 's', text: 't', html: '<b>h</b>' });

    expect(inputs).toMatchObject([
      {
        FromEmailAddress: 'idp@example.com',
        Destination: { ToAddresses: ['mai@example.com'] },
        Content: { Simple: { Subject: { Data: 's' }, Body: { Html: { Data: '<b>h</b>' } } } },
      },
    ]);
  });
});
