// Writes the types of the API: `node client/scripts/generate-types.mjs < openapi.json > client/src/openapi.ts`.
// `npm run client:types` does it with the description that the service gives of itself.
import { text } from 'node:stream/consumers';
import openapiTypes, { astToString } from 'openapi-typescript';

const document = JSON.parse(await text(process.stdin));
const types = astToString(await openapiTypes(document, { alphabetize: true, immutable: true }));
process.stdout.write(
  `/** Generated from the OpenAPI description of the service by \`npm run client:types\`. Do not edit. */\n\n${types}`,
);
