/**
 * What a call needs: a function of the transport, a path with a colon for each id, and `-` if there is no body, or
 * else the only field of the body if the method takes its value.
 */
export type MethodRow = `${'get' | 'list' | 'read' | 'post' | 'put' | 'patch' | 'delete'} ${string}`;

/**
 * Creates methods from a table, which is far smaller than functions. The ids come first, as many as the path has
 * colons. Then come the arguments of the function of the transport. `M` must say so.
 */
export function methodsOf<M extends object>(
  transport: object,
  rows: Readonly<Record<keyof M, MethodRow>>,
  root = '/api/v1/',
): M {
  const methods: Record<string, unknown> = {};
  for (const [name, row] of Object.entries<string>(rows)) {
    const [verb, path, field] = row.split(' ');
    methods[name] = (...given: unknown[]) => {
      const filled = root + path!.replace(/:/g, () => encodeURIComponent(given.shift() as string));
      if (field === '-') given.unshift(undefined);
      else if (field !== undefined) given[0] = { [field]: given[0] };
      else if (verb === 'post' || verb === 'put') given[0] ??= {};
      return (transport as Record<string, (...all: unknown[]) => unknown>)[verb!]!(filled, ...given);
    };
  }
  return methods as M;
}
