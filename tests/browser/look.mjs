// Opens a page in Chromium as different readers would, and writes what it found as JSON on stdout.
// usage: node look.mjs MODULES CHROMIUM PAGE FOLDER
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [modules, chromium, page, folder] = process.argv.slice(2)
const require = createRequire(join(modules, 'node_modules', 'index.js'))
const { chromium: driver } = require('playwright-core')
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

const quiet = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]
const readers = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  narrow: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
}

const browser = await driver.launch({ executablePath: chromium, headless: true, args: quiet })
const found = { requests: [], errors: [], readers: {} }

for (const [name, settings] of Object.entries(readers)) {
  // The page forbids scripts; the reader's own tools may run all the same.
  const context = await browser.newContext({ ...settings, bypassCSP: true })
  const tab = await context.newPage()
  tab.on('request', (each) => found.requests.push(each.url()))
  tab.on('pageerror', (each) => found.errors.push(String(each)))
  tab.on('console', (each) => { if (each.type() === 'error') found.errors.push(each.text()) })
  await tab.goto(pathToFileURL(page).href)
  await tab.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
  await tab.evaluate(axe)
  const result = await tab.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations', 'incomplete'] }))
  const violations = result.violations.map((each) => ({
    id: each.id, impact: each.impact, help: each.help, nodes: each.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)), count: each.nodes.length,
  }))
  const wide = await tab.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  const paper = await tab.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const ink = await tab.evaluate(() => { const text = document.querySelector('figure svg text'); return text && getComputedStyle(text).fill })
  const jumped = await jump(tab)
  found.readers[name] = { jumped, violations, passes: result.passes?.length ?? 0, wide, paper, ink }
  if (name === 'light') found.keys = await byKeyboard(tab)
  if (name === 'light') found.cut = await printed(tab)
  await context.close()
}
await browser.close()
process.stdout.write(JSON.stringify(found))

// Follows a link of the contents, and says how far below the banner its heading stands, and how much of the window the banner takes.
async function jump(tab) {
  await tab.evaluate(() => document.querySelectorAll('nav a')[8].click())
  return tab.evaluate(() => {
    const heading = document.querySelector(document.querySelectorAll('nav a')[8].hash)
    const stuck = [...document.querySelectorAll('.banner')].filter((each) => getComputedStyle(each).position === 'sticky' && each.checkVisibility())
    const below = Math.max(0, ...stuck.map((each) => each.getBoundingClientRect().bottom))
    return { room: heading.getBoundingClientRect().top - below, share: below / innerHeight }
  })
}

async function printed(tab) {
  await tab.pdf({ path: join(folder, 'print.pdf'), format: 'A4', preferCSSPageSize: true })
  await tab.emulateMedia({ media: 'print' })
  await tab.setViewportSize({ width: 673, height: 1000 })  // what an A4 page leaves between its margins
  await tab.screenshot({ path: join(folder, 'print.png'), fullPage: true })
  return tab.evaluate(() => [...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.getAttribute('aria-label')))
}

// Walks the page by Tab alone, and says which of the things that one must reach were never reached, or had no visible focus.
async function byKeyboard(tab) {
  const wanted = await tab.evaluate(() => {
    const all = [...document.querySelectorAll('a[href], summary, .scroll, .plot, pre')].filter((each) => each.checkVisibility())
    all.forEach((each, place) => { each.dataset.place = place })
    return all.length
  })
  const reached = new Set()
  let unseen = 0
  for (let step = 0; step < wanted + 20; step += 1) {
    await tab.keyboard.press('Tab')
    const here = await tab.evaluate(() => {
      const each = document.activeElement
      if (!each?.dataset?.place) return null
      const style = getComputedStyle(each)
      return { place: each.dataset.place, seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0 }
    })
    if (here === null) continue
    reached.add(here.place)
    if (!here.seen) unseen += 1
  }
  await tab.evaluate(() => document.querySelector('summary').focus())
  await tab.keyboard.press('Enter')
  const opened = await tab.evaluate(() => document.querySelector('details').open)
  return { wanted, reached: reached.size, unseen, opened }
}
