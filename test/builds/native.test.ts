import { existsSync } from 'node:fs';
import { Workbench } from './workbench.js';

/** The few declarations of Node-API that the addon uses, so that the test needs no headers of Node. */
const ADDON = `
#include <cstddef>
#include <string>
extern "C" {
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
int napi_create_string_utf8(napi_env env, const char *text, size_t length, napi_value *result);
napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  std::string text = "from " + std::string("C++");
  napi_value result;
  napi_create_string_utf8(env, text.c_str(), text.size(), &result);
  return result;
}
}
`;

const PROGRAMS = ['/usr/bin/make', '/usr/bin/g++', '/usr/bin/python3'];
const missing = PROGRAMS.filter((program) => !existsSync(program));

describe('a package with native code', () => {
  const bench = new Workbench();
  afterAll(() => bench.close());

  (missing.length === 0 ? it : it.skip)(
    `is compiled by the compilers of the machine${missing.length === 0 ? '' : ` (missing: ${missing.join(', ')})`}`,
    async () => {
      const { files } = await bench.build(
        {
          'package.json': JSON.stringify({ scripts: { build: 'make && node build.js' } }),
          Makefile: 'addon.node: addon.cc\n\tg++ -shared -fPIC -o addon.node addon.cc\n',
          'addon.cc': ADDON,
          'build.js': `const { execFileSync } = require('child_process');
            const python = execFileSync('/usr/bin/python3', ['-c', 'import json; print(json.dumps([1]))']).toString();
            require('fs').mkdirSync('dist');
            require('fs').writeFileSync('dist/index.html', require('./addon.node') + ' ' + python)`,
        },
        { settings: { framework: 'static' } },
      );
      expect(files['index.html']).toBe('from C++ [1]\n');
    },
  );
});
