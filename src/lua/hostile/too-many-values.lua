function agent.resolve()
  return { system = table.unpack({}, 1, 100000000) }
end
