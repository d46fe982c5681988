import type { PageElement } from '../../../../shared/pages/browser.ts';
import type { PageTools } from '../../../../shared/pages/open-page.ts';

/** What the page leads to. */
export interface SignedInSettings {
  /** Where the code of a login is exchanged. */
  readonly token: string;
  /** What can be done next: labels and paths. */
  readonly links: readonly (readonly [label: string, path: string])[];
}

/**
 * Exchanges the code of a login and says who has logged in, or why nobody has.
 *
 * The function is sent to the browser as source text: it may use nothing but its parameters.
 */
export function showSignedIn(page: PageTools, settings: SignedInSettings): void {
  const { element } = page;
  type Members = Readonly<Record<string, unknown>>;
  const code = page.take('code');
  const error = page.take('error');

  const links = (): PageElement => {
    const made = element('p');
    for (const [label, href] of settings.links)
      made.append(element('a', label, { class: 'link', href }));
    return made;
  };

  const refuse = (text: string): void =>
    page.show(element('p', text, { class: 'error', role: 'alert' }), links());

  const welcome = ({ user, expiresIn, accessToken }: Members): void => {
    const { id, userName } = user as Members;
    const facts = element('dl');
    for (const [label, value] of [
      ['Account', id],
      ['Valid for', `${Math.round(Number(expiresIn) / 60)} minutes`],
    ])
      facts.append(element('dt', String(label)), element('dd', String(value)));
    const token = element('details');
    token.append(
      element('summary', 'The token for calls of the API'),
      element('pre', `Authorization: Bearer ${accessToken}`),
    );
    const state = element('p', `Signed in as ${userName}`, { class: 'state', role: 'status' });
    page.show(state, facts, links(), token);
  };

  const exchange = async (sent: string): Promise<void> => {
    page.show(element('p', 'The login is being completed.', { role: 'status' }));
    const { status, body } = await page.send(settings.token, { code: sent });
    if (status === 200) return welcome(body as Members);
    if (status === 0) return refuse('The platform could not be reached. Log in again.');
    const { detail = status } = (body ?? {}) as Members;
    refuse(`Nobody is signed in: ${detail} A login can be completed once, within a minute.`);
  };

  if (code !== undefined) void exchange(code);
  else if (error !== undefined) refuse(`Nobody is signed in: the login ended with ${error}.`);
  else refuse('Nobody has logged in: this page is where a login ends.');
}
