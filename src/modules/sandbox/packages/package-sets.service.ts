import { Injectable } from '@nestjs/common';
import { PACKAGE_SETS, type PackageSetName, wantedBy } from '../domain/packages.js';
import { PackageLocksStore } from '../persistence/package-locks.store.js';
import { choiceOfSet, type PackageSet, PACKAGES_OF_SETS } from '../domain/package-sets.js';
import { type SetState, SetStates } from './set-states.js';

export interface OfferedSet extends PackageSet {
  readonly name: PackageSetName;
  readonly state: SetState;
}

const NOT_YET: SetState = {
  state: 'unavailable',
  reason: 'It is not installed yet. The first execution that names it installs it.',
};

/** Says which sets of packages executions can use. */
@Injectable()
export class PackageSetsService {
  constructor(
    private readonly locks: PackageLocksStore,
    private readonly states: SetStates,
  ) {}

  async list(): Promise<OfferedSet[]> {
    return Promise.all(
      PACKAGE_SETS.map(async (name) => ({ name, ...PACKAGES_OF_SETS[name], state: await this.stateOf(name) })),
    );
  }

  /** A set that a worker has installed stays available: others install the same from its lock. */
  private async stateOf(name: PackageSetName): Promise<SetState> {
    const { id } = wantedBy('', choiceOfSet(name));
    const [known, last] = await Promise.all([this.locks.known([id]), this.states.get(name)]);
    if (known.length > 0 && last?.state !== 'unavailable') return last ?? { state: 'available' };
    return last ?? NOT_YET;
  }
}
