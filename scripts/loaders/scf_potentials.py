"""Coefficient files as potentials of gala and galpy; also aureole.interop.scf_files, or aureole.Expansion.read(path).to_gala()."""
from packaged import packaged

_module = packaged("scf_files")
read_coefficients, gala_potential, galpy_potential = (
    _module.read_coefficients, _module.gala_potential, _module.galpy_potential)
