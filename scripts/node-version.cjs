/**
 * Ends at once if Node.js is too old. Each script that npm runs loads it first, and the build puts it at the beginning of the command
 * and, with an exception, of the library; so it has only syntax that any Node.js reads.
 */
var needed = [20, 19];
var own = process.versions.node.split('.').map(Number);
var problem = `octavo needs Node.js ${needed.join('.')} or later; this is ${process.versions.node}`;
if (own[0] < needed[0] || (own[0] === needed[0] && own[1] < needed[1])) {
  process.stderr.write(`${problem}\ninstall a newer one: https://nodejs.org\n`);
  process.exit(1);
}
