// Jest loads this file outside of its own resolution of `./x.js`.
import './typescript-hook.cjs';
import 'reflect-metadata';
import type { ContainerEngine } from './container-engine.js';

declare global {
  var containerTest: ContainerEngine | undefined;
}

/**
 * Before all tests in containers: makes a base, and builds the image of deploy/Dockerfile on it. CONTAINER_STORAGE
 * tells the workers where it is, and CONTAINERS_LACKING why this machine cannot run containers. With
 * REQUIRE_CONTAINERS=1 that is an error; what goes wrong with our image always is.
 *
 * KEEP_CONTAINERS=1 keeps the storage, and CONTAINER_STORAGE names one that was kept, so that nothing is built.
 */
// Jest asks for a default export here.
export default async function startContainers(): Promise<void> {
  if (process.env['CONTAINER_STORAGE'] !== undefined) return;
  const { ContainerEngine } = await import('./container-engine.js');
  const { buildNodeImage, buildServersImage, buildServiceImage, makeBase } = await import('./container-images.js');
  const engine = ContainerEngine.create();
  globalThis.containerTest = engine;
  const lacking = await whatIsLacking(engine, async () => {
    await makeBase();
    await buildNodeImage(engine);
  });
  if (lacking !== null) {
    if (process.env['REQUIRE_CONTAINERS'] === '1') throw new Error(lacking);
    process.env['CONTAINERS_LACKING'] = lacking;
    process.stdout.write(`\nLEFT OUT: containers, as this machine cannot run them: ${lacking}\n`);
    return;
  }
  process.env['CONTAINER_STORAGE'] = engine.directory;
  await buildServiceImage(engine);
  if (process.env['CONTAINERS_SHORT'] !== '1') await buildServersImage(engine);
}

/** Tries all that our image will need, without it. */
async function whatIsLacking(engine: ContainerEngine, makeImage: () => Promise<void>): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'they are run as root here';
  try {
    await makeImage();
    await engine.podman(['network', 'create', 'trial']);
    const trial = await engine.runToEnd(['--network', 'trial', 'localhost/node', 'node', '--print', '6 * 7']);
    await engine.podman(['network', 'rm', 'trial']);
    return trial.stdout.trim() === '42' ? null : trial.stderr.trim().split('\n').slice(-2).join(' ');
  } catch (error) {
    return (error as Error).message;
  }
}
