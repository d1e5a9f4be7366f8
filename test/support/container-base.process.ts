import { hasBase } from './container-images.js';

/** Ends with 0 when the base of the images is there, so that .ci/run knows whether building them is quick. */
process.exitCode = hasBase() ? 0 : 1;
