# %% [markdown]
# # A tour of jostle
#
# A gas of hard discs, from the first step to a fit: a film, its energy and its structure beside
# theory, the grid beside SciPy, and a sweep in pandas. It needs Matplotlib, pandas and SciPy, and takes
# a few seconds. `tour.ipynb` is this file as a notebook.

# %%
import io
import time

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from PIL import Image
from scipy.spatial import cKDTree

import jostle
from jostle import theory

plt.rcParams["figure.constrained_layout.use"] = True

# %% [markdown]
# ## A film
#
# A simulation is a scene and its arguments. It draws itself into NumPy arrays.

# %%
shock = jostle.Sim("shock", agents=4000, seed=1)
frames = []
for _ in range(30):
    shock.step(4)
    frames.append(Image.fromarray(shock.frame(480, 270)[..., :3]).quantize(32))
film = io.BytesIO()
frames[0].save(film, "GIF", save_all=True, append_images=frames[1:], duration=50, loop=0)
if "get_ipython" in globals():  # A script has no place for films.
    from IPython.display import Image as Film
    from IPython.display import display

    display(Film(film.getvalue()))

# %% [markdown]
# ## Energy beside theory
#
# Without losses, the energy of a gas stays what it was. With a coefficient of restitution e, the gas
# cools as Haff's law says: T/T₀ = (1 + (1 − e²)·ν₀·t/4)⁻², where ν₀ is the collision rate at the start.

# %%
ETA, RADIUS = 0.2, 0.5
HZ = 125
gas = dict(agents=4000, radius=RADIUS, speed=1.36, boundary="periodic", collisions="swept", hz=HZ)
WARMUP = 6 * HZ  # The gas forgets how it was placed.

times = np.arange(31) * (HZ // 2) / HZ
energy = {1.0: [], 0.9: [], 0.8: []}
for e, series in energy.items():
    sim = jostle.Sim("gas", seed=3, density=ETA, **gas)
    sim.step(WARMUP)
    sim.restitution = e
    start = sim.observe("kinetic_energy")
    thermal_speed = np.sqrt(np.mean(sim.vx**2 + sim.vy**2) / 2)
    rate = theory.collision_rate(ETA, 2 * RADIUS, thermal_speed)
    for _ in times:
        series.append(sim.observe("kinetic_energy") / start)
        sim.step(HZ // 2)

figure, axes = plt.subplots(figsize=(6, 4))
for e, series in energy.items():
    (line,) = axes.plot(times, series, "o", markersize=3, label=f"e = {e}")
    axes.plot(times, theory.haff(e, rate, times), color=line.get_color(), linewidth=1)
axes.set(xlabel="time, s", ylabel="energy, share of the start", title="Points: runs; lines: Haff's law")
axes.legend()
plt.show()

# %% [markdown]
# ## The radial distribution beside theory
#
# g(r) is how much more often two discs are at a distance r than points spread at random.
# `Grid.pairs` lists all pairs within a distance. The world repeats, so copies beside it complete the
# neighborhoods of discs at its border.

# %%
WITHIN = 4 * RADIUS
edges = np.linspace(2 * RADIUS, WITHIN, 41)


def histogram(sim):
    """The number of pairs per distance, each seen from both of its discs."""
    width, height = sim.size
    at = np.stack([sim.x % width, sim.y % height], axis=1).astype(float)
    copies = [at + (i * width, j * height) for i in (0, -1, 1) for j in (0, -1, 1)]
    points = np.concatenate(copies)
    points = points[
        (points[:, 0] > -WITHIN) & (points[:, 0] < width + WITHIN)
        & (points[:, 1] > -WITHIN) & (points[:, 1] < height + WITHIN)
    ]
    pairs = jostle.Grid(points).pairs(WITHIN)
    distance = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    inside = (pairs < len(at)).sum(axis=1)  # The copies of the world itself come first.
    return np.histogram(distance, edges, weights=inside)[0]


figure, axes = plt.subplots(figsize=(6, 4))
middle = (edges[1:] + edges[:-1]) / 2
contact = {}
for eta in [0.1, 0.3, 0.5]:
    sim = jostle.Sim("gas", seed=5, density=eta, **gas)
    sim.step(WARMUP)
    counts, moments = np.zeros(len(middle)), 40
    for _ in range(moments):
        sim.step(20)
        counts += histogram(sim)
    density = len(sim) / (sim.size[0] * sim.size[1])
    rings = np.pi * (edges[1:] ** 2 - edges[:-1] ** 2)
    g = counts / (moments * len(sim) * density * rings)
    contact[eta] = np.polyval(np.polyfit(middle[:6] - 2 * RADIUS, g[:6], 2), 0)
    (line,) = axes.plot(middle / (2 * RADIUS), g, label=f"η = {eta}")
    axes.plot(1, theory.contact_value(eta), "o", color=line.get_color())
axes.set(xlabel="distance, diameters", ylabel="g(r)", title="Points: theory at contact")
axes.legend()
plt.show()
pd.DataFrame({"measured": contact, "theory": {eta: theory.contact_value(eta) for eta in contact}})

# %% [markdown]
# ## The grid beside SciPy
#
# The same pairs as those of `cKDTree`, to the last one.

# %%
rng = np.random.default_rng(1)
points = rng.uniform((0, 0), (1600, 900), (200_000, 2))


def timed(function):
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


(tree_time, tree), (grid_time, grid) = timed(lambda: cKDTree(points)), timed(lambda: jostle.Grid(points))
scipy_time, expected = timed(lambda: tree.query_pairs(1.0, output_type="ndarray"))
jostle_time, pairs = timed(lambda: grid.pairs(1.0))
assert set(map(tuple, pairs.tolist())) == set(map(tuple, expected.tolist()))
pd.DataFrame(
    {"SciPy": [tree_time, scipy_time], "jostle": [grid_time, jostle_time]},
    index=["build", f"{len(pairs):,} pairs"],
).mul(1e3).round(1).add_suffix(", ms")

# %% [markdown]
# ## A sweep, and a fit
#
# A sweep runs every combination of its values on all cores. Its columns are a table of pandas. The
# compressibility Z = P/(ρkT) begins as 1 + 2η: the fit finds the second virial coefficient.

# %%
table = pd.DataFrame(jostle.sweep({
    "run": {"scene": "gas", **gas, "agents": 1000, "warmup": WARMUP, "steps": 2000},
    "sweep": {"density": [0.05, 0.1, 0.15, 0.2, 0.3, 0.4], "seed": [1, 2, 3]},
}))
z = table.groupby("density")["compressibility_mean"].agg(["mean", "std"])
eta = z.index.to_numpy()

# (Z − 1)/2η is the contact value, 1 + 1.564 η + …: a parabola leads back to its start.
start = np.polyfit(eta, (z["mean"].to_numpy() - 1) / (2 * eta), 2)[-1]
print(f"second virial coefficient: {start:.2f} times its exact value")

figure, axes = plt.subplots(figsize=(6, 4))
axes.errorbar(eta, z["mean"], z["std"], fmt="o", markersize=4, label="runs")
line = np.linspace(0, 0.45, 100)
axes.plot(line, theory.compressibility(line), linewidth=1, label="virial series")
axes.set(xlabel="η", ylabel="Z = P/(ρkT)", title="The pressure of hard discs")
axes.legend()
plt.show()
