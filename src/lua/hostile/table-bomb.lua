function agent.resolve()
  local list = {}
  while true do list[#list + 1] = { {}, {}, {} } end
end
