import { ServiceError } from '@service/client';

let ask: (() => Promise<boolean>) | undefined;

/** The app says how it asks people to show again who they are; this module knows no screen. */
export function onConfirmationNeeded(handle: () => Promise<boolean>): void {
  ask = handle;
}

/**
 * The same service, whose calls are made once more after the person has confirmed the session, where the service asks
 * for a recent sign-in. A person who does not want to sees the refusal.
 */
export function confirming<S extends object>(service: S): S {
  const groups = new Map<PropertyKey, unknown>();
  return new Proxy(service, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'object' || value === null) return value;
      if (!groups.has(name)) groups.set(name, repeating(value));
      return groups.get(name);
    },
  });
}

function repeating(group: object): object {
  return new Proxy(group, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name, target);
      // A group may have groups of its own.
      if (typeof method === 'object' && method !== null) return repeating(method);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        const call = (): unknown => Reflect.apply(method, target, given);
        const result = call();
        return result instanceof Promise ? result.catch((error: unknown) => again(error, call)) : result;
      };
    },
  });
}

async function again(error: unknown, call: () => unknown): Promise<unknown> {
  const isAsked = error instanceof ServiceError && error.code === 'recent_sign_in_required';
  if (!isAsked || ask === undefined || !(await ask())) throw error;
  return call();
}
