import { ContainerEngine } from './container-engine.js';

/** Describes what a machine shows that can run containers. The set-up says why another one does not. */
export const describeWithContainers = process.env['CONTAINERS_LACKING'] === undefined ? describe : describe.skip;

/** The engine that has the images. */
export const containerEngine = (): ContainerEngine => ContainerEngine.open(process.env['CONTAINER_STORAGE']!);
