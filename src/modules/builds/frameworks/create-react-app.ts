import { type Preset } from './preset.js';
import { SERVER_BESIDE_PAGES } from './shared-modes.js';

export const createReactApp: Preset = {
  name: 'create-react-app',
  title: 'Create React App',
  // An ejected app has its scripts in its own files, and these tools of them.
  detect: { packages: ['react-scripts', 'react-dev-utils'] },
  build: 'npx react-scripts build',
  // With CI set, warnings of the linter would end the build. `homepage` is often the path on another host.
  environment: { CI: 'false', PUBLIC_URL: '/' },
  modes: [SERVER_BESIDE_PAGES, { kind: 'site', outputs: ['build'], immutable: ['static'], fallback: 'index.html' }],
};
