import { inject } from 'vitest';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

/** The directory of the platform under test, as its administrators see it. */
export const directory = {
  get address(): string {
    return inject('identityPeers').directory;
  },
  login: { adminUsername: 'admin', adminPassword: 'secret' },
  async send(method: string, path: string, body?: object) {
    const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/scim+json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.address}${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.status === 204 ? {} : ((await answer.json()) as { readonly id?: string });
  },
  /** @returns the id of somebody new */
  async hire(userName: string): Promise<string> {
    const emails = [{ value: `${userName}@saomai.example`, primary: true }];
    const phoneNumbers = [{ value: '+84 24 3825 0000', type: 'work' }];
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
    const facts = { schemas, userName, active: true, emails, phoneNumbers };
    return (await this.send('POST', '/Users', facts)).id ?? '';
  },
  /** @returns the id of a new group with a member */
  async found(displayName: string, value: string): Promise<string> {
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:Group'];
    const members = [{ value, type: 'User' }];
    return (await this.send('POST', '/Groups', { schemas, displayName, members })).id ?? '';
  },
  rename(number: string, displayName: string) {
    const Operations = [{ op: 'replace', path: 'displayName', value: displayName }];
    return this.send('PATCH', `/Users/person-${number}`, { schemas: [PATCH], Operations });
  },
};
