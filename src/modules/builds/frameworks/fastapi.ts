import { type Preset } from './preset.js';
import { asgi, installWith, isFor, OWN_BUILD, UVICORN } from './python-projects.js';

export const fastapi: Preset = {
  name: 'fastapi',
  title: 'FastAPI',
  detect: { when: isFor('fastapi'), condition: 'a Python file such as `main.py` with an application' },
  ...OWN_BUILD,
  build: null,
  install: installWith(UVICORN),
  modes: [asgi],
};
