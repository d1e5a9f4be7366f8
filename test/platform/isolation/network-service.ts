import { Isolation } from '../../../src/platform/isolation/isolation.js';
import { type NetworkRules } from '../../../src/platform/isolation/network/network-rules.js';
import { launchPython } from './networked-python.js';

/**
 * A service as small as can be: runs one Python program with a network and prints what came of it as JSON. The
 * processes to look for, if it is killed, come first and as an error.
 */
async function main(rules: NetworkRules, code: string): Promise<void> {
  const isolation = new Isolation({ cgroups: 'auto', copiesDirectory: '/nowhere' });
  const missing = await isolation.missingForNetwork();
  if (missing.length > 0) console.log(JSON.stringify({ missing }));
  else {
    const { program, lines } = await launchPython(isolation, rules, code);
    console.error(JSON.stringify([program.initPid, program.network!.carrierPid]));
    await program.gone;
    console.log(JSON.stringify({ missing, lines, ...(await program.exited) }));
  }
  await isolation.close();
}

void main(JSON.parse(process.argv[3]!) as NetworkRules, process.argv[4]!);
