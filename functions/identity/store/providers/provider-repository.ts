import { notExists } from '../../../../shared/store/conditions.ts';
import { readAll } from '../../../../shared/store/read-all.ts';
import type { Item, Key, Table } from '../../../../shared/store/table.ts';
import type { UnitOfWork } from '../../../../shared/store/unit-of-work.ts';
import type { IdentityProvider } from '../../domain/providers/provider.ts';
import { isUnchanged } from '../sealed-version.ts';

/*
 * Access patterns
 *   a provider                              identity_provider#<id>             HEAD
 *   the provider of a code; all providers   identity_provider#@codes           <code>
 *   the providers of a tenant by name       identity_provider#@names#<tenant>  <name in lower case>
 */
const CODES_PARTITION = 'identity_provider#@codes';

const providerKey = (id: string): Key => ({ pk: `identity_provider#${id}`, sk: 'HEAD' });
const codeKey = (code: string): Key => ({ pk: CODES_PARTITION, sk: code });
const namesPartition = (tenant: string): string => `identity_provider#@names#${tenant}`;
const nameKey = ({ tenant, name }: Pick<IdentityProvider, 'tenant' | 'name'>): Key => ({
  pk: namesPartition(tenant),
  sk: name.toLowerCase(),
});

interface HeadItem extends Item {
  readonly provider: IdentityProvider;
}

interface PointerItem extends Item {
  readonly providerId: string;
}

/** What is thrown when another provider has the code or the name. */
export interface ProviderTaken {
  readonly code: () => Error;
  readonly name: () => Error;
}

/** Stored identity providers. */
export class ProviderRepository {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async find(id: string): Promise<IdentityProvider | undefined> {
    return (await this.#table.get<HeadItem>(providerKey(id)))?.provider;
  }

  async findByCode(code: string): Promise<IdentityProvider | undefined> {
    const pointer = await this.#table.get<PointerItem>(codeKey(code));
    return pointer && this.find(pointer.providerId);
  }

  /** The providers of a tenant by their names. */
  ofTenant(tenant: string): Promise<readonly IdentityProvider[]> {
    return this.#behind(namesPartition(tenant));
  }

  /** The providers of all tenants. */
  all(): Promise<readonly IdentityProvider[]> {
    return this.#behind(CODES_PARTITION);
  }

  stageNew(unit: UnitOfWork, provider: IdentityProvider, taken: ProviderTaken): void {
    const free = (otherwise: () => Error) => ({ condition: notExists, otherwise });
    unit.put(pointer(codeKey(provider.code), provider), free(taken.code));
    unit.put(pointer(nameKey(provider), provider), free(taken.name));
    unit.put(headItem(provider), { condition: notExists, otherwise: 'retry' });
  }

  /** Stages the next version of a provider; whoever has changed it meanwhile wins, and the unit runs again. */
  stage(
    unit: UnitOfWork,
    provider: IdentityProvider,
    before: IdentityProvider,
    nameTaken: () => Error,
  ): void {
    unit.put(headItem(provider), {
      condition: isUnchanged('provider', before),
      otherwise: 'retry',
    });
    if (provider.name.toLowerCase() === before.name.toLowerCase()) return;
    unit.put(pointer(nameKey(provider), provider), { condition: notExists, otherwise: nameTaken });
    unit.delete(nameKey(before));
  }

  /** Stages the same configuration under another key; its version stays. */
  stageSealed(unit: UnitOfWork, provider: IdentityProvider, config: string): void {
    const isSame = { condition: isUnchanged('provider', provider), otherwise: 'retry' as const };
    const seals = (provider.seals ?? 0) + 1;
    unit.put(headItem({ ...provider, config, seals }), isSame);
  }

  stageGone(unit: UnitOfWork, provider: IdentityProvider): void {
    const isSame = { condition: isUnchanged('provider', provider), otherwise: 'retry' as const };
    unit.delete(providerKey(provider.id), isSame);
    unit.delete(codeKey(provider.code));
    unit.delete(nameKey(provider));
  }

  async #behind(partition: string): Promise<readonly IdentityProvider[]> {
    const pointers = await readAll<PointerItem>(this.#table, { partition });
    const items = await this.#table.getMany<HeadItem>(
      pointers.map(({ providerId }) => providerKey(providerId)),
    );
    return items.map(({ provider }) => provider);
  }
}

const headItem = (provider: IdentityProvider) => ({
  ...providerKey(provider.id),
  type: 'identity_provider',
  version: provider.version,
  provider,
});

const pointer = (key: Key, { id }: IdentityProvider) => ({
  ...key,
  type: 'identity_provider_pointer',
  providerId: id,
});
