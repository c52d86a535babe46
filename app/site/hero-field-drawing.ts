/** Side of a module, 1.5 rem like the squares of the paper. */
const MODULE_REM = 1.5;
/** Motion that starts by itself must end before five seconds (WCAG 2.2.2); moving the pointer restarts it. */
const AWAKE_MS = 4800;
const FRAME_MS = 50;
const APPEAR_MS = 2400;

/**
 * Draws the field behind an element's content, one canvas pixel per module, scaled up to the squares of the
 * paper. Returns a function that removes it; throws if there is no WebGL context or the shaders do not
 * compile.
 */
export function mountField(place: HTMLElement): () => void {
  const canvas = document.createElement('canvas');
  const gl = canvas.getContext('webgl', {
    antialias: false,
    depth: false,
    // Faint colours would lose their hue when multiplied.
    premultipliedAlpha: false,
    powerPreference: 'low-power',
  });
  if (!gl) throw new Error('no context');
  const uniforms = makeProgram(gl);
  canvas.setAttribute('aria-hidden', 'true');
  Object.assign(canvas.style, {
    position: 'absolute',
    gridColumn: 'auto',
    zIndex: '-1',
    imageRendering: 'pixelated',
    pointerEvents: 'none',
  });
  place.style.isolation = 'isolate';
  place.prepend(canvas);

  let awakeUntil = 0;
  let drawnAt = 0;
  let shownMs = 0;
  let flowedMs = 0;
  let frame = 0;
  let isInView = false;

  function layOut() {
    const side = MODULE_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const { offsetWidth, offsetHeight, offsetTop } = place;
    // The squares of the paper start at the middle of the page and at its top.
    const left = ((offsetWidth / 2) % side) - side;
    const top = -(offsetTop % side);
    canvas.width = Math.ceil((offsetWidth - left) / side);
    canvas.height = Math.floor((offsetHeight - top) / side);
    Object.assign(canvas.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${canvas.width * side}px`,
      height: `${canvas.height * side}px`,
    });
    gl?.viewport(0, 0, canvas.width, canvas.height);
    gl?.uniform2f(uniforms.size, canvas.width, canvas.height);
    draw();
  }

  function paint() {
    gl?.uniform3fv(uniforms.tint, colourOf(canvas, 'var(--color-rule)'));
    gl?.uniform3fv(uniforms.accent, colourOf(canvas, 'var(--color-accent)'));
    draw();
  }

  function draw() {
    gl?.uniform1f(uniforms.time, flowedMs / 1000);
    gl?.uniform1f(uniforms.shown, Math.min(shownMs / APPEAR_MS, 1));
    gl?.drawArrays(gl.TRIANGLES, 0, 3);
  }

  function step(now: number) {
    frame = 0;
    const passedMs = Math.min(now - drawnAt, 2 * FRAME_MS);
    if (passedMs >= FRAME_MS) {
      drawnAt = now;
      shownMs += passedMs;
      // Slows down before it stops.
      flowedMs += passedMs * Math.min((awakeUntil - now) / 1500, 1);
      draw();
    }
    if (now < awakeUntil) run();
  }

  function run() {
    if (isInView && !document.hidden && frame === 0) frame = requestAnimationFrame(step);
  }

  function wake() {
    awakeUntil = performance.now() + AWAKE_MS;
    run();
  }

  const sight = new IntersectionObserver(([entry]) => {
    isInView = entry?.isIntersecting ?? false;
    run();
  });
  const size = new ResizeObserver(layOut);
  const theme = new MutationObserver(paint);
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  sight.observe(place);
  size.observe(place);
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  scheme.addEventListener('change', paint);
  document.addEventListener('visibilitychange', run);
  place.addEventListener('pointermove', wake);
  paint();
  wake();

  return () => {
    cancelAnimationFrame(frame);
    for (const observer of [sight, size, theme]) observer.disconnect();
    scheme.removeEventListener('change', paint);
    document.removeEventListener('visibilitychange', run);
    place.removeEventListener('pointermove', wake);
    canvas.remove();
  };
}

/** Red, green and blue from 0 to 1 of a CSS colour in the current theme. */
function colourOf(element: HTMLElement, colour: string): number[] {
  element.style.color = colour;
  const parts = getComputedStyle(element).color.match(/[\d.]+/g) ?? [];
  return parts.slice(0, 3).map((part) => Number(part) / 255);
}

const VERTEX = 'attribute vec2 at;void main(){gl_Position=vec4(at,0.,1.);}';

// One fragment is one module. Clouds of slow noise decide which modules show; each has its own threshold.
const FRAGMENT = `precision highp float;
uniform vec2 size;
uniform float time;
uniform float shown;
uniform vec3 tint;
uniform vec3 accent;
float dice(vec2 p){
  vec3 q=fract(p.xyx*.1031);
  q+=dot(q,q.yzx+33.33);
  return fract((q.x+q.y)*q.z);
}
float cloud(vec2 p){
  vec2 i=floor(p);
  vec2 f=smoothstep(0.,1.,fract(p));
  return mix(
    mix(dice(i),dice(i+vec2(1.,0.)),f.x),
    mix(dice(i+vec2(0.,1.)),dice(i+vec2(1.,1.)),f.x),
    f.y);
}
void main(){
  vec2 cell=floor(gl_FragCoord.xy);
  vec2 fromCorner=size-cell;
  float weather=cloud(cell*.16+vec2(-time*.1,time*.06))*.7+cloud(cell*.45+vec2(time*.05,time*.08)+9.)*.3;
  float reach=smoothstep(.6,1.,cell.x/size.x)*smoothstep(0.,.5,cell.y/size.y);
  float threshold=.06+dice(cell+3.)*.94;
  float on=smoothstep(threshold-.05,threshold+.05,weather*weather*reach*1.15);
  float quietZone=step(8.5,max(fromCorner.x,fromCorner.y));
  float isAccent=step(.97,dice(cell+71.));
  gl_FragColor=vec4(mix(tint,accent,isAccent),on*quietZone*shown*mix(.62,.42,isAccent));
}`;

const UNIFORMS = ['size', 'time', 'shown', 'tint', 'accent'] as const;
type Uniforms = Record<(typeof UNIFORMS)[number], WebGLUniformLocation | null>;

/**
 * Compiles the field's shaders and covers the canvas with them; throws with the driver's message on failure.
 */
function makeProgram(gl: WebGLRenderingContext): Uniforms {
  const program = gl.createProgram();
  if (!program) throw new Error('no context');
  gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, VERTEX));
  gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, FRAGMENT));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(gl.getProgramInfoLog(program) ?? 'link failure');
  }
  // Called directly, linters would take `useProgram` for a React hook.
  Reflect.apply(gl.useProgram, gl, [program]);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 3, -1, -1, 3]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  const entries = UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]);
  return Object.fromEntries(entries) as Uniforms;
}

function compile(gl: WebGLRenderingContext, type: number, source: string): WebGLShader {
  const shader = gl.createShader(type);
  if (!shader) throw new Error('no context');
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) {
    throw new Error(gl.getShaderInfoLog(shader) ?? 'shader failure');
  }
  return shader;
}
