import * as z from 'zod';
import type { PlatformConfig } from '../../shared/config/index.ts';
import { type ConfigOf, defineSection, error } from '../../shared/config/section.ts';
import { flag, seconds, textList, wholeNumber } from '../../shared/config/values.ts';
import { isTimeZone } from '../../shared/primitives/zones/time-zone.ts';

const ADDRESS = /^[^\s@<>,]+@[^\s@<>,]+\.[^\s@<>,]+$/;
/** A host name or address as in a URL, with or without a port. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::\d{1,5})?$/;

const schema = () =>
  z.strictObject({
    enabled: flag(
      false,
      'Switches identity sources and logins on; false leaves no function, no route and no schedule.',
    ),
    'token-expiration': seconds(
      3_600,
      60,
      86_400,
      'How long the token of a login is accepted (seconds).',
    ),
    'session-secret': z
      .string()
      .default('')
      .describe(
        'Secret in Secrets Manager that the keys of logins are derived from, at least 32 characters; its name begins with svc-cloud/. None: the stack generates one.',
      ),
    'zone-id': z
      .string()
      .refine(isTimeZone, 'must be an IANA time zone such as Asia/Ho_Chi_Minh')
      .default('UTC')
      .describe('Time zone of schedules that name none.'),
    'alert-to': textList(
      [],
      'Mail addresses that are notified of failed, suspended and disabled sources.',
    ),
    'mail-from': z
      .string()
      .refine((text) => text === '' || ADDRESS.test(text), 'must be a mail address')
      .default('')
      .describe('Sender of mails to new users and of alerts; none: no mail is sent.'),
    'allowed-hosts': textList(
      [],
      'Hosts of sources and identity providers that may have private addresses, as host or host:port; always over https.',
    ),
    'allow-insecure-hosts': textList(
      [],
      'Hosts that may be called over plain http, as host or host:port; refused outside the stage local.',
    ),
    'return-origins': textList(
      [],
      'Origins of web applications that a login may return to, such as https://app.example.com.',
    ),
    'requests-per-second': wholeNumber(10, 1, 1_000, 'Most requests to a source per second.'),
    'notify-on-first-import': flag(
      false,
      'Whether the first synchronisation of a source sends notices to the users that it makes.',
    ),
    'user-events': flag(
      false,
      'Whether identity.user.* is published for every account that changes.',
    ),
  });

/** `svc.idp`. */
export const idpSection = defineSection({
  name: 'idp',
  schema,
  rules: [
    ({ allowInsecureHosts }, { stage }) =>
      allowInsecureHosts.length > 0 &&
      stage !== 'local' &&
      error(
        'IDP_INSECURE_NOT_LOCAL',
        'svc.idp.allow-insecure-hosts',
        `is allowed for the stage local only; the stage is ${stage}`,
      ),
    ({ allowedHosts, allowInsecureHosts }) => {
      const wrong = [...allowedHosts, ...allowInsecureHosts].find((host) => !HOST.test(host));
      return (
        wrong !== undefined &&
        error(
          'IDP_HOST',
          allowedHosts.includes(wrong) ? 'svc.idp.allowed-hosts' : 'svc.idp.allow-insecure-hosts',
          `has ${wrong}, which is no host or host:port in lower case`,
        )
      );
    },
    ({ alertTo }) => {
      const wrong = alertTo.find((address) => !ADDRESS.test(address));
      return (
        wrong !== undefined &&
        error('IDP_ALERT_TO', 'svc.idp.alert-to', `has ${wrong}, which is no mail address`)
      );
    },
    ({ returnOrigins }) => {
      const wrong = returnOrigins.find((text) => !isOrigin(text));
      return (
        wrong !== undefined &&
        error(
          'IDP_RETURN_ORIGIN',
          'svc.idp.return-origins',
          `has ${wrong}, which is no origin such as https://app.example.com`,
        )
      );
    },
  ],
});

export type IdentityConfig = PlatformConfig & ConfigOf<typeof idpSection>;

const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;
