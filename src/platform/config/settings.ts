import type { ValueProvider } from '@nestjs/common';
import { validateSync } from 'class-validator';
import { Config } from './config.js';
import type { ModuleSettings } from './module-settings.js';
import { settingsDeclaredBy } from './setting.js';

export type ModuleSettingsClass = new (config: Config) => ModuleSettings;

/** All settings of one process, checked, with one instance of each class. `main.ts` reads them once. */
export class Settings {
  constructor(private readonly instances: ReadonlyMap<object, object>) {}

  /** @throws {Error} for a class that was not read because the list of the roles lacks it. */
  of<Instance extends object>(settings: new (...parameters: never[]) => Instance): Instance {
    const instance = this.instances.get(settings);
    if (instance === undefined) throw new Error(`${settings.name} is not among the settings of this service.`);
    return instance as Instance;
  }

  /** Providers, so that services can inject the classes. */
  get providers(): ValueProvider[] {
    return [
      { provide: Settings, useValue: this },
      ...[...this.instances].map(([settings, instance]) => ({
        provide: settings as typeof Config,
        useValue: instance,
      })),
    ];
  }
}

/**
 * Reads the settings of the platform itself and those of the given classes.
 * @throws {Error} naming every invalid variable at once and never a value, which may be a secret; also when two
 * settings have the same name.
 */
export function readSettings(
  classes: readonly ModuleSettingsClass[],
  source: NodeJS.ProcessEnv,
  { isSupervised = false } = {},
): Settings {
  requireOneOwnerEach([Config, ...classes]);
  const environment = withoutEmpty(source);
  const config = fill(new Config(isSupervised), environment);
  const all = [config, ...classes.map((settings) => fill(new settings(config), environment))];
  const faults = [...all.flatMap(faultsOfValues), ...all.flatMap((settings) => settings.faults?.(environment) ?? [])];
  if (faults.length > 0) throw new Error(`Bad configuration:\n  ${faults.join('\n  ')}`);
  return new Settings(new Map(all.map((settings) => [settings.constructor, settings])));
}

/** One variable must not have two meanings. */
function requireOneOwnerEach(classes: readonly object[]): void {
  const names = classes.flatMap((settings) => settingsDeclaredBy(settings).map(({ name }) => name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`These settings are declared twice: ${twice.join(', ')}`);
}

/** `NAME=` in a shell or in an env file means the same as leaving it out. */
function withoutEmpty(source: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
}

function fill<Instance extends object>(settings: Instance, environment: NodeJS.ProcessEnv): Instance {
  const values = settingsDeclaredBy(settings.constructor).flatMap(({ name, property, read }) => {
    const text = environment[name];
    return text === undefined ? [] : [[property, read(text)] as const];
  });
  return Object.assign(settings, Object.fromEntries(values));
}

/** The validation rules name the field, but an operator knows the variable. */
function faultsOfValues(settings: object): string[] {
  const nameOf = new Map(settingsDeclaredBy(settings.constructor).map(({ property, name }) => [property, name]));
  return validateSync(settings).map(({ property, constraints = {} }) =>
    Object.values(constraints)
      .map((message) => message.replace(property, () => nameOf.get(property)!))
      .join(', '),
  );
}
