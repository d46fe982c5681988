import type {
  DepartmentRepository,
  NewUser,
  UserRepository,
  WriteFence,
} from '../../../shared/ports/identity.ts';

/** What a contract is tried on: repositories without content. */
export interface AccountsUnderTest {
  readonly users: UserRepository;
  readonly departments: DepartmentRepository;
  /** Lets only writers with this value write in the lane from now on. */
  setFence(fence: WriteFence): Promise<void>;
}

/** One promise of the repositories. A test framework runs each with repositories of its own. */
export interface ContractCase {
  readonly name: string;
  /** Rejects when the promise does not hold. */
  run(subject: AccountsUnderTest): Promise<void>;
}

/** An account to make, with a link to the source `s1`. */
export const aUser = (id: string, more: Partial<NewUser> = {}): NewUser => ({
  id,
  userName: `name-${id}`,
  orgIds: [],
  status: 'ENABLED',
  origin: 'SOURCE',
  links: [aLink(id)],
  ...more,
});

export const aLink = (externalId: string, more: object = {}) => ({
  ...{ sourceId: 's1', externalId, hash: 'h1', active: true },
  ...more,
});
