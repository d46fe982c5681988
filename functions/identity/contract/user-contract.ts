import assert from 'node:assert/strict';
import type { ItemResult, UserRepository } from '../../../shared/ports/identity.ts';
import { aLink, aUser, type ContractCase } from './contract-case.ts';

const codesOf = (results: readonly ItemResult<unknown>[]): readonly string[] =>
  results.map((result) => (result.kind === 'ok' ? 'ok' : result.code));

async function linksOf(users: UserRepository, sourceId = 's1') {
  const links: { readonly externalId: string; readonly hash: string }[] = [];
  for await (const { externalId, hash } of users.iterateLinks(sourceId)) {
    links.push({ externalId, hash });
  }
  return links;
}

/** What a repository of users promises. */
export const userContract: readonly ContractCase[] = [
  {
    name: 'finds an account by id, by name and address in any case, and by its id at a source',
    async run({ users }) {
      const made = await users.createMany([aUser('1', { email: 'Lan@Example.com' })]);
      assert.deepEqual(codesOf(made), ['ok']);
      const found = await Promise.all([
        users.findById('1'),
        users.findByUsername('NAME-1'),
        users.findByEmail('lan@example.COM'),
        users.findByExternal('s1', '1'),
      ]);
      assert.deepEqual(
        found.map((account) => [account?.id, account?.version]),
        found.map(() => ['1', 1]),
      );
      assert.equal(await users.findByExternal('s2', '1'), undefined);
      assert.equal(await users.findByUsername('name-1', 'other tenant'), undefined);
    },
  },
  {
    name: 'finds an account by the alias of a link, but not one of several',
    async run({ users }) {
      const as = (id: string, alias: string) => aUser(id, { links: [aLink(id, { alias })] });
      await users.createMany([as('1', 'E-1'), as('2', 'E-2'), as('3', 'E-2')]);
      await users.updateMany([{ id: '1', links: [{ ...aLink('1'), alias: 'E-9' }] }]);
      const found = ['E-1', 'E-2', 'E-9'].map((alias) => users.findByAlias('s1', alias));
      const ids = (await Promise.all(found)).map((account) => account?.id);
      assert.deepEqual(ids, [undefined, undefined, '1']);
      assert.deepEqual((await users.findById('1'))?.links, [
        { sourceId: 's1', externalId: '1', alias: 'E-9' },
      ]);
      await users.unlink('1', aLink('1'));
      assert.equal(await users.findByAlias('s1', 'E-9'), undefined);
    },
  },
  {
    name: 'finds the links of some ids, and counts links',
    async run({ users }) {
      await users.createMany([
        aUser('1', { links: [aLink('1', { alias: 'E-1' })] }),
        aUser('2', { links: [aLink('2', { active: false })] }),
        aUser('3', { links: [aLink('3', { hash: 'h3', active: false })] }),
        aUser('4', { links: [aLink('4', { sourceId: 's2' })] }),
      ]);
      const found = await users.findLinks('s1', ['3', '1', '4', 'nobody']);
      const told = found.map(({ externalId, userId, userName, hash, active, alias = '' }) =>
        [externalId, userId, userName, hash, active, alias].join(),
      );
      assert.deepEqual(told.toSorted(), ['1,1,name-1,h1,true,E-1', '3,3,name-3,h3,false,']);
      const hundred = Array.from({ length: 100 }, (_, number) => String(number));
      assert.equal((await users.findLinks('s1', hundred)).length, 3);
      assert.deepEqual(await users.findLinks('s1', []), []);
      const counts = [
        await users.countLinks('s1'),
        await users.countLinks('s1', { active: true }),
        await users.countLinks('s1', { otherThan: 'h3' }),
        await users.countLinks('s1', { active: false, otherThan: 'h3' }),
        await users.countLinks('nobody'),
      ];
      assert.deepEqual(counts, [3, 1, 2, 1, 0]);
      await users.unlink('1', aLink('1'));
      assert.equal(await users.countLinks('s1'), 2);
    },
  },
  {
    name: 'refuses names, addresses, numbers and links that are taken, one by one',
    async run({ users }) {
      const taken = { email: 'a@example.com', phone: '+84 901' };
      await users.createMany([aUser('1', taken)]);
      const results = await users.createMany([
        aUser('2', { userName: 'NAME-1' }),
        aUser('3', { email: 'A@example.com' }),
        aUser('4', { phone: '+84901' }),
        aUser('5', { links: [aLink('1')] }),
        aUser('6'),
        aUser('7', { userName: 'name-1', tenant: 'other tenant' }),
      ]);
      assert.deepEqual(codesOf(results), [
        ...['USERNAME_CONFLICT', 'EMAIL_CONFLICT', 'PHONE_CONFLICT', 'LINK_CONFLICT', 'ok', 'ok'],
      ]);
      assert.equal(await users.findById('2'), undefined);
    },
  },
  {
    name: 'lets one of two accounts of a batch have a name',
    async run({ users }) {
      const twice = [aUser('1', { userName: 'same' }), aUser('2', { userName: 'Same' })];
      assert.deepEqual(codesOf(await users.createMany(twice)), ['ok', 'USERNAME_CONFLICT']);
    },
  },
  {
    name: 'makes an account once, however often it is asked',
    async run({ users }) {
      await users.createMany([aUser('1')]);
      assert.deepEqual(codesOf(await users.createMany([aUser('1'), aUser('2')])), ['ok', 'ok']);
      assert.equal((await users.findById('1'))?.version, 1);
    },
  },
  {
    name: 'walks over the links of a source in the order of the bytes of their ids',
    async run({ users }) {
      const ids = ['b', 'a', 'é', 'Z', '\u{1F600}', '\uFF5E'];
      await users.createMany(ids.map((id) => aUser(id)));
      await users.createMany([aUser('x', { links: [aLink('x', { sourceId: 's2' })] })]);
      const inOrder = ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      assert.deepEqual(
        (await linksOf(users)).map(({ externalId }) => externalId),
        inOrder,
      );
    },
  },
  {
    name: 'changes facts and link together, empties what is null, and frees a former name',
    async run({ users }) {
      await users.createMany([aUser('1', { email: 'a@example.com', fullName: 'A' })]);
      const facts = { userName: 'renamed', email: null, givenName: 'Lan' };
      const change = { id: '1', version: 1, facts, links: [aLink('1', { hash: 'h2' })] };
      assert.deepEqual(codesOf(await users.updateMany([change])), ['ok']);
      const stored = await users.findById('1');
      assert.deepEqual(
        [stored?.userName, stored?.email, stored?.fullName, stored?.givenName, stored?.version],
        ['renamed', undefined, 'A', 'Lan', 2],
      );
      assert.deepEqual(await linksOf(users), [{ externalId: '1', hash: 'h2' }]);
      assert.equal(await users.findByUsername('name-1'), undefined);
      assert.equal((await users.findByUsername('renamed'))?.id, '1');
    },
  },
  {
    name: 'refuses a change of another version, unless it was made before',
    async run({ users }) {
      await users.createMany([aUser('1')]);
      const change = (hash: string) => ({
        ...{ id: '1', version: 1, facts: { fullName: 'B' }, links: [aLink('1', { hash })] },
      });
      const results = [
        ...(await users.updateMany([change('h2')])),
        ...(await users.updateMany([change('h2')])),
        ...(await users.updateMany([change('h3')])),
        ...(await users.updateMany([{ id: 'nobody' }])),
      ];
      assert.deepEqual(codesOf(results), ['ok', 'ok', 'VERSION_CONFLICT', 'NOT_FOUND']);
    },
  },
  {
    name: 'never lets a source enable what an administrator disabled',
    async run({ users }) {
      await users.createMany([aUser('1')]);
      await users.setStatus('1', 'DISABLED', 'SOURCE');
      await users.setStatus('1', 'ENABLED', 'SOURCE');
      assert.equal((await users.findById('1'))?.status, 'ENABLED');
      await users.setStatus('1', 'DISABLED', 'ADMIN');
      await users.setStatus('1', 'ENABLED', 'SOURCE');
      const disabled = await users.findById('1');
      assert.deepEqual([disabled?.status, disabled?.disabledBy], ['DISABLED', 'ADMIN']);
      await users.setStatus('1', 'ENABLED', 'ADMIN');
      assert.equal((await users.findById('1'))?.disabledBy, undefined);
    },
  },
  {
    name: 'links an account to further sources and takes links away',
    async run({ users }) {
      await users.createMany([aUser('1'), aUser('2')]);
      const other = aLink('e1', { sourceId: 's2' });
      assert.equal((await users.link('1', other)).kind, 'ok');
      assert.deepEqual(codesOf([await users.link('2', other)]), ['LINK_CONFLICT']);
      assert.equal((await users.findByExternal('s2', 'e1'))?.id, '1');
      await users.unlink('1', other);
      assert.equal(await users.findByExternal('s2', 'e1'), undefined);
      assert.deepEqual((await users.findById('1'))?.links, [{ sourceId: 's1', externalId: '1' }]);
      assert.equal((await users.link('2', other)).kind, 'ok');
    },
  },
  {
    name: 'removes an account with all that points to it, any number of times',
    async run({ users }) {
      await users.createMany([aUser('1', { email: 'a@example.com' })]);
      const results = [await users.remove('1'), await users.remove('1')];
      assert.deepEqual(codesOf(results), ['ok', 'ok']);
      assert.equal(await users.findByUsername('name-1'), undefined);
      assert.deepEqual(await linksOf(users), []);
      const again = aUser('2', { userName: 'name-1', email: 'a@example.com', links: [aLink('1')] });
      assert.deepEqual(codesOf(await users.createMany([again])), ['ok']);
    },
  },
  {
    name: 'removes no account that was changed since it was looked at',
    async run({ users }) {
      await users.createMany([aUser('1')]);
      await users.link('1', aLink('e1', { sourceId: 's2' }));
      const results = [await users.remove('1', { version: 1 })];
      assert.equal((await users.findById('1'))?.version, 2);
      results.push(
        await users.remove('1', { version: 2 }),
        await users.remove('1', { version: 2 }),
      );
      assert.deepEqual(codesOf(results), ['VERSION_CONFLICT', 'ok', 'ok']);
      assert.equal(await users.findById('1'), undefined);
    },
  },
  {
    name: 'writes nothing for a run that another one has replaced',
    async run({ users, setFence }) {
      const fence = { sourceId: 's1', lane: 3, value: 7 };
      await setFence(fence);
      assert.deepEqual(codesOf(await users.createMany([aUser('1')], { fence })), ['ok']);
      await setFence({ ...fence, value: 8 });
      const results = [
        ...(await users.createMany([aUser('2')], { fence })),
        ...(await users.updateMany([{ id: '1', facts: { fullName: 'B' } }], { fence })),
        await users.remove('1', { fence }),
        await users.link('1', aLink('e', { sourceId: 's2' }), { fence }),
      ];
      assert.deepEqual(codesOf(results), ['FENCED', 'FENCED', 'FENCED', 'FENCED']);
      assert.equal((await users.findById('1'))?.version, 1);
      assert.equal(await users.findById('2'), undefined);
    },
  },
];
