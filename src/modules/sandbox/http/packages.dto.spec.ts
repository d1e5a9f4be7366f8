import { RequestInvalid } from '../../../platform/errors/request-invalid.js';
import { RequestValidation } from '../../../platform/http/validation.js';
import type { Language } from '../domain/sandbox-runtime.js';
import { requireAllowedHosts } from '../network/requested-hosts.js';
import { type RequestedPackages, requestedPackages } from '../packages/requested-packages.js';
import { OrgExecutionRequest } from './executions.dto.js';

type Fault = { readonly path: string; readonly code: string; readonly message: string };

const faultOf = (error: unknown): Fault => {
  if (!(error instanceof RequestInvalid)) throw error;
  const [{ path, code, message }] = error.help.details as [Fault];
  return { path, code, message };
};
const refusedByTool = (check: () => unknown): Fault | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
};
const refusedByApi = (body: object): Promise<Fault | undefined> =>
  new RequestValidation()
    .transform({ code: '1', language: 'python', ...body }, { type: 'body', metatype: OrgExecutionRequest })
    .then(() => undefined, faultOf);
/** The API names a nested field without its parents in messages. */
const inApi = (fault: Fault | undefined): Fault | undefined =>
  fault && { ...fault, message: fault.message.replace('packages.', '') };

it.each<[Language, RequestedPackages]>([
  ['python', { packages: { pip: ['six==1.16.0'] } }],
  ['python', { packages: { pip: ['six'] } }],
  ['python', { packages: { pip: ['six>=1'] } }],
  ['python', { packages: { pip: ['six==1.16.0', 'SIX==1.17.0'] } }],
  ['python', { packages: { npm: ['left-pad@1.3.0'] } }],
  ['python', { packages: { pip: ['six==1.16.0'], npm: ['left-pad@1.3.0'] } }],
  ['python', { packages: {} }],
  ['python', { packages: { pip: ['six==1.16.0'] }, packageSet: 'python-data' }],
  ['python', { packageSet: 'python-data' }],
  ['python', { packageSet: 'node-common' }],
  ['javascript', { packages: { npm: ['@scope/name@2.0.0'] } }],
  ['typescript', { packages: { npm: ['left-pad@^1'] } }],
  ['javascript', { packages: { npm: ['left-pad@1.3.0', 'left-pad@1.4.0'] } }],
  ['javascript', { packages: { pip: ['six==1.16.0'] } }],
  ['javascript', { packageSet: 'python-data' }],
])('checks packages of %s as the API does: %j', async (language, asked) => {
  const { packages, packageSet: package_set } = asked;
  const byTool = refusedByTool(() => requestedPackages(language, asked));
  const body = { language, ...(packages && { packages }), ...(package_set && { package_set }) };
  expect(inApi(byTool)).toEqual(await refusedByApi(body));
});

it.each([[['api.example.com', '*.example.org:8443']], [['10.0.0.1']], [['*.com']], [['api.example.com:25']]])(
  'checks hosts as the API does: %j',
  async (allow) => {
    const byTool = refusedByTool(() => {
      requireAllowedHosts(allow);
    });
    const byApi = await refusedByApi({ network: { allow } });
    expect(byTool && { code: byTool.code, message: byTool.message }).toEqual(
      byApi && { code: byApi.code, message: byApi.message },
    );
  },
);
