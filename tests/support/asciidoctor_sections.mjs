// Prints, for each document named on standard input, its sections as Asciidoctor reads them:
// {"file", "sections": [[level, title, line], ...]}, level 1 being the document's title.
//
// Conditionals and includes are taken out first, as our scanner does, and the lines are numbered
// as they stand in the file. The first argument is the folder that holds node_modules.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const directive = /^(?:include|ifdef|ifndef)::\S.*\[.*\]\s*$|^(?:ifeval|endif)::.*\[.*\]\s*$/
const entry = path.join(process.argv[2], 'node_modules/@asciidoctor/core/dist/node/asciidoctor.js')
const asciidoctor = (await import(pathToFileURL(entry).href)).default()
asciidoctor.LoggerManager.setLogger(asciidoctor.NullLogger.create())

for (const file of fs.readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const kept = []
  const numbers = []
  fs.readFileSync(file, 'utf8').split(/\r\n|\r|\n/).forEach((line, index) => {
    if (directive.test(line)) return
    kept.push(line)
    numbers.push(index + 1)
  })
  const document = asciidoctor.load(kept.join('\n'), {
    sourcemap: true,
    safe: 'secure',
    attributes: { 'skip-front-matter': '' }
  })
  const sections = []
  const add = (level, title, line) => { if (line != null) sections.push([level, title, numbers[line - 1]]) }
  const header = document.getHeader()
  if (document.hasHeader()) add(1, header.title, header.getSourceLocation()?.getLineNumber())
  const walk = (parent) => {
    for (const section of parent.getSections()) {
      add(section.getLevel() + 1, section.title, section.getLineNumber())
      walk(section)
    }
  }
  walk(document)
  console.log(JSON.stringify({ file, sections }))
}
